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

export const permissive: JSONSchema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

export function schemaOf({ schema }: CRDVersion): ObjectSchema {
  const root = schema?.openAPIV3Schema ?? permissive;
  const compiled: CompiledSchema = validatorOf(root);
  return {
    compiled,
    node: asObject(typed(root)),
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
 * The validator of a stored schema, compiled once: stored schemas never change, and a CRD is served again whenever its
 * conditions change, and by each cluster that starts from the state of another.
 */
export function validatorOf(schema: JSONSchema): Validator {
  let validator = validators.get(schema);
  if (!validator) validators.set(schema, (validator = compileValidator(schema)));
  return validator;
}

/** Every object has these fields, even if its schema does not declare them. */
const typeMeta = { apiVersion: { type: "string" }, kind: { type: "string" } };

const text: SchemaNode = { type: "string" };

const textMap: SchemaNode = { type: "object", additionalProperties: text };

/** The schema of metadata, for patches and managed fields. */
const objectMetaNode: SchemaNode = {
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

/** Adds the metadata of objects and of embedded resources to a schema. */
function asObject(node: SchemaNode): SchemaNode {
  return { ...node, properties: { ...typeMeta, ...node.properties, metadata: objectMetaNode } };
}

/** Converts a schema; returns the same schema if it has no embedded resources. */
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
