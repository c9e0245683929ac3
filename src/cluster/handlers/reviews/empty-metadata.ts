import { isObject } from "@tsbuilder/apimachinery/json";
import { invalidStruct } from "@tsbuilder/apimachinery/errors";
import type { ApiObject } from "../../contract/api-object.ts";
import type { Problems } from "../../kinds/checks/problems.ts";

/** A review about access may have no metadata, but for the managers of its fields and those that `allowed` names. */
export function* emptyMetadata(
  { metadata }: ApiObject,
  allowed: readonly string[],
  detail: string,
): Problems {
  const given = Object.keys(metadata).filter((field) => field !== "managedFields");
  if (given.every((field) => allowed.includes(field))) return;
  yield invalidStruct("metadata", inOrder(metadata, metadataFields) as object, detail);
}

/** The fields in the order of the Go structs, in which messages show them. */
const metadataFields: Fields = {
  name: {},
  generateName: {},
  namespace: {},
  resourceVersion: {},
  generation: {},
  deletionTimestamp: {},
  deletionGracePeriodSeconds: {},
  labels: {},
  annotations: {},
  ownerReferences: { apiVersion: {}, kind: {}, name: {}, uid: {}, controller: {}, blockOwnerDeletion: {} },
  finalizers: {},
  managedFields: {
    manager: {},
    operation: {},
    apiVersion: {},
    time: {},
    fieldsType: {},
    fieldsV1: {},
    subresource: {},
  },
};

interface Fields {
  readonly [name: string]: Fields;
}

/** A value whose known fields come in this order; the keys of a map are sorted. */
function inOrder(value: unknown, fields: Fields): unknown {
  if (Array.isArray(value)) return value.map((item) => inOrder(item, fields));
  if (!isObject(value)) return value;
  const known = Object.keys(fields);
  const names =
    known.length > 0 ? known.filter((name) => Object.hasOwn(value, name)) : Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, inOrder(value[name], fields[name] ?? {})]));
}
