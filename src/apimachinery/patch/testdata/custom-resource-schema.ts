import type { SchemaNode } from "../index.ts";

const text: SchemaNode = { type: "string" };
const texts: SchemaNode = { type: "object", additionalProperties: text };

/** The schema of a custom resource with the given properties besides apiVersion, kind and metadata. */
export function customResourceSchema(properties: Readonly<Record<string, SchemaNode>>): SchemaNode {
  return {
    type: "object",
    properties: {
      apiVersion: text,
      kind: text,
      metadata: {
        type: "object",
        properties: {
          name: text,
          namespace: text,
          uid: text,
          resourceVersion: text,
          labels: texts,
          annotations: texts,
          finalizers: { type: "array", items: text, "x-kubernetes-list-type": "set" },
        },
      },
      ...properties,
    },
  };
}
