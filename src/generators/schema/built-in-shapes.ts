import type { TypeNode } from "../loader/index.ts";
import type { Environment, SchemaSources, Typed } from "./environment.ts";
import { emptyShape, madeProperty, type Property, type Shape } from "./property.ts";
import type { Schema } from "./schema.ts";

/** `CustomResource<Spec, Status>` and the like: object metadata by name, the rest from the arguments. */
export function customResourceShape(
  name: string,
  node: TypeNode & { kind: "reference" },
  env: Environment,
  sources: SchemaSources,
): Shape | undefined {
  if (!["TypeMeta", "KubernetesObject", "CustomResource"].includes(name)) return undefined;
  const properties = [textProperty("apiVersion"), textProperty("kind")];
  const metadata: TypeNode = {
    kind: "reference",
    name: "ObjectMeta",
    args: [],
    specifier: "@tsbuilder/runtime",
    pos: node.pos,
  };
  if (name !== "TypeMeta") properties.push(madeProperty("metadata", { node: metadata, env }, true, node.pos));
  const [spec, status] = node.args;
  if (name === "CustomResource") {
    if (spec && !isUnknown(spec)) properties.push(madeProperty("spec", { node: spec, env }, false, spec.pos));
    if (status && !isUnknown(status))
      properties.push(madeProperty("status", { node: status, env }, true, status.pos));
  }
  return { ...emptyShape(), properties: new Map(properties) };

  function textProperty(key: "apiVersion" | "kind"): [string, Property] {
    const type: TypeNode = { kind: "keyword", name: "string", pos: node.pos };
    const [, property] = madeProperty(key, { node: type, env }, true, node.pos);
    return [key, { ...property, schema: { type: "string", description: sources.typeMetaText(key) } }];
  }
}

/** The properties of a built-in type of Kubernetes, so that `Omit` and `Pick` work on it. */
export function coreShape(schema: Schema, pos: number, env: Environment): Shape | undefined {
  if (!schema.properties) return undefined;
  const unknown: Typed = { node: { kind: "keyword", name: "unknown", pos }, env };
  const properties = Object.entries(schema.properties).map(([name, property]): [string, Property] => {
    const optional = schema.required?.includes(name) !== true;
    return [name, { ...madeProperty(name, unknown, optional, pos)[1], schema: property }];
  });
  return { ...emptyShape(), properties: new Map(properties) };
}

function isUnknown(node: TypeNode): boolean {
  return node.kind === "keyword" && ["unknown", "any", "never", "undefined"].includes(node.name);
}
