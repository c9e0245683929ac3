import { type Validator, compileValidator } from "@tsbuilder/apimachinery/cel";
import type { CRDVersion } from "@tsbuilder/apimachinery/crd";
import { formatFieldError } from "@tsbuilder/apimachinery/errors";
import { isObject } from "@tsbuilder/apimachinery/json";
import { DecodeError } from "@tsbuilder/apimachinery/kinds";
import type { SchemaNode } from "@tsbuilder/apimachinery/patch";
import type { CompiledSchema, JSONSchema } from "@tsbuilder/apimachinery/schema";
import { MalformedMetadataError, decodeMetadata } from "@tsbuilder/apimachinery/schema";
import type { ObjectSchema } from "../registry/resource.ts";
import type { ApiObject } from "../contract/api-object.ts";

/** The schema of a version without one: it accepts any object. */
export const permissive: JSONSchema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

/** Makes the schema of a CRD version for decoding, patches and managed fields. */
export function schemaOf({ schema }: CRDVersion): ObjectSchema {
  const root = schema?.openAPIV3Schema ?? permissive;
  const compiled: CompiledSchema = validatorOf(root);
  return {
    compiled,
    node: addObjectMeta(addEmbeddedMeta(root)),
    unknownFields(object) {
      const inMetadata = unknownMetadata(object as ApiObject);
      const { unknown, malformed } = compiled.prune(object);
      if (malformed) throw new DecodeError(formatFieldError(malformed));
      return [...inMetadata, ...unknown];
    },
  };
}

function unknownMetadata({ metadata }: ApiObject): readonly string[] {
  try {
    return decodeMetadata(metadata ?? {}, "metadata").unknown;
  } catch (error) {
    throw error instanceof MalformedMetadataError ? new DecodeError(error.message) : error;
  }
}

const validators = new WeakMap<JSONSchema, Validator>();

/**
 * Returns the validator of a stored schema, which never changes. It is compiled once: a CRD is served again whenever its
 * conditions change, and by each cluster that starts from the state of another.
 */
export function validatorOf(schema: JSONSchema): Validator {
  let validator = validators.get(schema);
  if (!validator) validators.set(schema, (validator = compileValidator(schema)));
  return validator;
}

const typeMeta = { apiVersion: { type: "string" }, kind: { type: "string" } };
const string: SchemaNode = { type: "string" };
const stringMap: SchemaNode = { type: "object", additionalProperties: string };

/** The schema of metadata, for patches and managed fields. */
const objectMetaNode: SchemaNode = {
  type: "object",
  properties: {
    annotations: stringMap,
    creationTimestamp: string,
    deletionGracePeriodSeconds: { type: "integer" },
    deletionTimestamp: string,
    finalizers: {
      type: "array",
      items: string,
      "x-kubernetes-list-type": "set",
      "x-kubernetes-patch-strategy": "merge",
    },
    generateName: string,
    generation: { type: "integer" },
    labels: stringMap,
    managedFields: { type: "array", items: { type: "object" }, "x-kubernetes-list-type": "atomic" },
    name: string,
    namespace: string,
    ownerReferences: {
      type: "array",
      items: {
        type: "object",
        "x-kubernetes-map-type": "atomic",
        properties: {
          apiVersion: string,
          blockOwnerDeletion: { type: "boolean" },
          controller: { type: "boolean" },
          kind: string,
          name: string,
          uid: { type: "string", default: "" },
        },
      },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["uid"],
      "x-kubernetes-patch-merge-key": "uid",
      "x-kubernetes-patch-strategy": "merge",
    },
    resourceVersion: string,
    selfLink: string,
    uid: string,
  },
};

/** Adds the fields that objects and embedded resources have even if their schema does not declare them. */
function addObjectMeta(node: SchemaNode): SchemaNode {
  return { ...node, properties: { ...typeMeta, ...node.properties, metadata: objectMetaNode } };
}

/** Applies `addObjectMeta` to the embedded resources in a schema; returns the same schema if it has none. */
function addEmbeddedMeta(schema: JSONSchema): SchemaNode {
  const { properties = {}, items, additionalProperties } = schema;
  const changes: Record<string, unknown> = {};
  const fields = Object.entries(properties).map(([name, field]) => [name, addEmbeddedMeta(field)] as const);
  if (fields.some(([name, field]) => field !== properties[name]))
    changes["properties"] = Object.fromEntries(fields);
  for (const [name, inner] of Object.entries({ items, additionalProperties })) {
    const node = isObject(inner) ? addEmbeddedMeta(inner) : inner;
    if (node !== inner) changes[name] = node;
  }
  const isSame = Object.keys(changes).length === 0;
  const node = (isSame ? schema : { ...schema, ...changes }) as SchemaNode;
  return schema["x-kubernetes-embedded-resource"] ? addObjectMeta(node) : node;
}
