import { isObject } from "@tsbuilder/apimachinery/json";
import type { SchemaNode } from "@tsbuilder/apimachinery/patch";
import type { JSONSchema } from "@tsbuilder/apimachinery/schema";
import { objectMetaNode } from "../registry/object-meta-schema.ts";

/** Every object has these fields, even if its schema does not declare them. */
const typeMeta = { apiVersion: { type: "string" }, kind: { type: "string" } };

/** The schema of custom objects for managed fields: objects, and resources within them, have the metadata of all objects. */
export function objectNode(root: JSONSchema): SchemaNode {
  return asObject(typed(root));
}

function asObject(node: SchemaNode): SchemaNode {
  return { ...node, properties: { ...typeMeta, ...node.properties, metadata: objectMetaNode } };
}

/** The same schema if it has no resources within it. */
function typed(schema: JSONSchema): SchemaNode {
  const { properties = {}, items, additionalProperties } = schema;
  const changed: Record<string, unknown> = {};
  const fields = Object.entries(properties).map(([name, field]) => [name, typed(field)] as const);
  if (fields.some(([name, field]) => field !== properties[name]))
    changed["properties"] = Object.fromEntries(fields);
  for (const [name, inner] of Object.entries({ items, additionalProperties })) {
    const node = isObject(inner) ? typed(inner) : inner;
    if (node !== inner) changed[name] = node;
  }
  const isSame = Object.keys(changed).length === 0;
  const node = (isSame ? schema : { ...schema, ...changed }) as SchemaNode;
  return schema["x-kubernetes-embedded-resource"] ? asObject(node) : node;
}
