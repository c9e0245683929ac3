import type { SchemaNode } from "@tsbuilder/apimachinery/patch";

const text: SchemaNode = { type: "string" };
const textMap: SchemaNode = { type: "object", additionalProperties: text };

/** The schema of metadata, for patches and managed fields. */
export const objectMetaNode: SchemaNode = {
  type: "object",
  properties: {
    annotations: textMap,
    creationTimestamp: text,
    deletionGracePeriodSeconds: { type: "integer" },
    deletionTimestamp: text,
    finalizers: {
      type: "array",
      items: text,
      "x-kubernetes-list-type": "set",
      "x-kubernetes-patch-strategy": "merge",
    },
    generateName: text,
    generation: { type: "integer" },
    labels: textMap,
    managedFields: { type: "array", items: { type: "object" }, "x-kubernetes-list-type": "atomic" },
    name: text,
    namespace: text,
    ownerReferences: {
      type: "array",
      items: {
        type: "object",
        "x-kubernetes-map-type": "atomic",
        properties: {
          apiVersion: text,
          blockOwnerDeletion: { type: "boolean" },
          controller: { type: "boolean" },
          kind: text,
          name: text,
          uid: { type: "string", default: "" },
        },
      },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["uid"],
      "x-kubernetes-patch-merge-key": "uid",
      "x-kubernetes-patch-strategy": "merge",
    },
    resourceVersion: text,
    selfLink: text,
    uid: text,
  },
};
