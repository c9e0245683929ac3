import { type FieldError, forbidden, invalid, invalidStruct } from "../../errors/index.ts";
import { itemsOf, type JSONSchema, valuesOf } from "../json-schema.ts";
import { checkExtensions } from "./check-extensions.ts";
import { checkKeywords, type KeywordContext } from "./check-keywords.ts";
import { checkRuleTexts } from "./check-rule-texts.ts";
import { goSchema } from "./go-schema.ts";

/** The context of CEL rules at a node. */
export interface RuleContext {
  property(schema: JSONSchema, name: string): RuleContext;
  values(schema: JSONSchema): RuleContext;
  items(schema: JSONSchema): RuleContext;
  /** Checks the node's own rules; `uncorrelatable` is the ancestor below which `oldSelf` is not available. */
  check(path: string, uncorrelatable: string | undefined): FieldError[];
}

/** The position of a node, as far as validation depends on it. */
export interface NodeContext extends KeywordContext {
  readonly isRoot: boolean;
  readonly uncorrelatable: string | undefined;
  readonly rules: RuleContext | undefined;
}

/** The errors of a walk; rules are compiled only if there is no schema error at or below the node. */
export interface Findings {
  readonly schemaErrors: FieldError[];
  readonly ruleErrors: FieldError[];
}

/** Checks the keywords of a CRD's schema node by node, including `allOf`, `anyOf`, `oneOf` and `not`. */
export function checkOpenAPI(schema: JSONSchema, path: string, context: NodeContext): Findings {
  const found: Findings = { schemaErrors: [], ruleErrors: [] };
  checkNode(schema, path, context, found);
  return found;
}

function checkNode(schema: JSONSchema, path: string, context: NodeContext, found: Findings): void {
  const { schemaErrors } = found;
  const before = schemaErrors.length;
  checkKeywords(schema, path, context, schemaErrors);
  if (schema.uniqueItems) {
    const detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    schemaErrors.push(forbidden(`${path}.uniqueItems`, detail));
  }
  checkMapValues(schema, path, context, found);
  if (schema.properties) checkProperties(schema, schema.properties, path, context, found);
  checkBranches(schema, path, context, found);
  checkItems(schema, path, context, found);
  checkExtensions(schema, path, schemaErrors);
  const rules = schema["x-kubernetes-validations"];
  if (rules === undefined || rules.length === 0) return;
  schemaErrors.push(...checkRuleTexts(schema, path));
  if (schemaErrors.length === before && context.rules) {
    found.ruleErrors.push(...context.rules.check(path, context.uncorrelatable));
  }
}

function checkMapValues(schema: JSONSchema, path: string, context: NodeContext, found: Findings): void {
  const { additionalProperties } = schema;
  if (additionalProperties === undefined) return;
  const at = `${path}.additionalProperties`;
  if (Object.keys(schema.properties ?? {}).length > 0 && additionalProperties !== true) {
    found.schemaErrors.push(forbidden(at, "additionalProperties and properties are mutual exclusive"));
  }
  const values = valuesOf(schema);
  if (!values) return;
  const noDefaults = context.insideMeta
    ? { noDefaults: "inside additionalProperties applying to object metadata" }
    : {};
  const rules = context.rules?.values(values);
  checkNode(values, at, { ...context, ...noDefaults, isRoot: false, rules }, found);
}

function checkProperties(
  schema: JSONSchema,
  properties: Readonly<Record<string, JSONSchema>>,
  path: string,
  context: NodeContext,
  found: Findings,
): void {
  const { isRoot, insideMeta, noDefaults } = context;
  const isResource = isRoot || schema["x-kubernetes-embedded-resource"] === true;
  const isCorrelatable = ["granular", "atomic"].includes(schema["x-kubernetes-map-type"] ?? "granular");
  const uncorrelatable = isCorrelatable ? context.uncorrelatable : (context.uncorrelatable ?? path);
  for (const [name, child] of Object.entries(properties)) {
    const isMeta = isResource && ["metadata", "kind", "apiVersion"].includes(name);
    const inner = {
      insideMeta: insideMeta || isMeta,
      noDefaults: isMeta && isRoot ? `in top-level ${name}` : noDefaults,
      isRoot: false,
      uncorrelatable,
      rules: context.rules?.property(child, name),
    };
    checkNode(child, `${path}.properties[${name}]`, inner, found);
  }
}

function checkBranches(schema: JSONSchema, path: string, context: NodeContext, found: Findings): void {
  const { not, allOf, oneOf, anyOf } = schema;
  if (!not && !allOf && !oneOf && !anyOf) return;
  const inner = { ...context, isRoot: false, rules: undefined };
  if (not) checkNode(not, `${path}.not`, inner, found);
  for (const [name, branches] of Object.entries({ allOf, oneOf, anyOf })) {
    branches?.forEach((branch, index) => checkNode(branch, `${path}.${name}[${index}]`, inner, found));
  }
}

function checkItems(schema: JSONSchema, path: string, context: NodeContext, found: Findings): void {
  const items = itemsOf(schema);
  if (!items) return;
  const isMap = schema["x-kubernetes-list-type"] === "map";
  const uncorrelatable = isMap ? context.uncorrelatable : (context.uncorrelatable ?? path);
  const rules = context.rules?.items(items);
  checkNode(items, `${path}.items`, { ...context, isRoot: false, uncorrelatable, rules }, found);
}

/** Checks the rules for the root; `hasStatus`: the status subresource is enabled. */
export function checkRoot(schema: JSONSchema, path: string, hasStatus: boolean): FieldError[] {
  const errors: FieldError[] = [];
  if (hasStatus) errors.push(...checkRootWithStatus(schema, path));
  if (schema.nullable) errors.push(forbidden(`${path}.nullable`, "nullable cannot be true at the root"));
  return errors;
}

/** With a status subresource the status is validated by its own part of the schema, so no keyword may span both. */
const allowedAtRoot =
  "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern " +
  "MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields " +
  "XValidations";

function checkRootWithStatus(schema: JSONSchema, path: string): FieldError[] {
  const allowed = new Set(allowedAtRoot.split(" "));
  for (const [name, value] of Object.entries(schema)) {
    if (value === undefined || value === false || value === "") continue;
    if (name === "type") {
      if (value === "object") continue;
      const detail =
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      return [invalid(`${path}.type`, value, detail)];
    }
    if (allowed.has(goName(name))) continue;
    const detail = `only [${allowedAtRoot}] fields are allowed at the root of the schema if the status subresource is enabled`;
    return [invalidStruct(path, goSchema(schema), detail)];
  }
  return [];
}

function goName(keyword: string): string {
  const plain = keyword
    .replace("x-kubernetes-", "x-")
    .replaceAll(/-(\w)/g, (_, char: string) => char.toUpperCase());
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}
