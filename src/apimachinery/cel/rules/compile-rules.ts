import { itemsOf, type JSONSchema, valuesOf } from "../../schema/json-schema.ts";
import { adapterOf } from "../schema/adapt.ts";
import { type DeclType, declTypeOf } from "../schema/decl-type.ts";
import { escapeName } from "../schema/escape.ts";
import { compileNodeRules } from "./compile-rule.ts";
import { type CompiledRules, type RuleNode, RuleRun } from "./rule-run.ts";

/** Compiles all rules of a schema. `isResource`: the root is a whole object with metadata. */
export function compileRules(schema: JSONSchema, isResource = true): CompiledRules | undefined {
  if (!hasRules(schema)) return undefined;
  const node = compileNode(schema, declTypeOf(schema, isResource, "object"), isResource);
  if (!node) return undefined;
  return {
    validate: (object, options = {}) => new RuleRun(options).run(node, object, options.old),
  };
}

function compileNode(
  schema: JSONSchema,
  decl: DeclType | undefined,
  isResource: boolean,
): RuleNode | undefined {
  if (!decl) return undefined;
  const items = itemsOf(schema);
  const values = valuesOf(schema);
  const node: RuleNode = {
    schema,
    rules: compileNodeRules(schema, decl),
    adapt: adapterOf(schema, isResource),
    items: items && compileNode(items, decl.element, isEmbedded(items)),
    values: values && compileNode(values, decl.element, isEmbedded(values)),
    properties: compileProperties(schema, decl),
  };
  const isEmpty = node.rules.length === 0 && !node.items && !node.values && node.properties.size === 0;
  return isEmpty ? undefined : node;
}

function compileProperties(schema: JSONSchema, decl: DeclType): ReadonlyMap<string, RuleNode> {
  const nodes = new Map<string, RuleNode>();
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    if (!hasRules(child)) continue;
    const escaped = escapeName(name);
    // A property whose name can't be escaped may still have rules.
    const field = escaped === undefined ? declTypeOf(child, isEmbedded(child)) : decl.fields?.get(escaped);
    const node = compileNode(child, field, isEmbedded(child));
    if (node) nodes.set(name, node);
  }
  return nodes;
}

function isEmbedded(schema: JSONSchema): boolean {
  return schema["x-kubernetes-embedded-resource"] === true;
}

/** Returns true if a schema has rules at any level. */
export function hasRules(schema: JSONSchema): boolean {
  if ((schema["x-kubernetes-validations"]?.length ?? 0) > 0) return true;
  const children = [itemsOf(schema), valuesOf(schema), ...Object.values(schema.properties ?? {})];
  return children.some((child) => child !== undefined && hasRules(child));
}
