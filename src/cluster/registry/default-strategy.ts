import { isEqual } from "@tsbuilder/apimachinery/json";
import type { ApiObject } from "../contract/api-object.ts";
import { generateName } from "./object-meta.ts";
import type { Strategy } from "./resource.ts";
import { subdomainName } from "./validate-metadata.ts";

/** The strategy of most built-in kinds; other kinds spread it and override members. */
export const defaultStrategy: Strategy = {
  createOnUpdate: false,
  unconditionalUpdate: true,
  generateName,
  generation: false,
  statusWritesMetadata: false,
  validateName: subdomainName,
  metadataChecks: { create: ["new"], update: ["update"], status: ["update"], qualifiedFinalizers: true },
  specChanged: (object, old) => !isEqual(object["spec"], old["spec"]),
  resetFields: resetStatus,
};

/** Restores the status from the stored object, and for writes to `/status` everything else. */
export function resetStatus(object: ApiObject, old: ApiObject | undefined, subresource: string): void {
  if (subresource === "status") {
    const status = object["status"];
    const { managedFields, resourceVersion, uid } = object.metadata;
    for (const field of Object.keys(object)) if (field !== "metadata") delete object[field];
    Object.assign(object, { ...old, metadata: { ...old!.metadata } });
    setFields(object.metadata, { managedFields, resourceVersion, uid });
    setFields(object, { status });
    return;
  }
  setFields(object, { status: old?.["status"] });
}

/** `resetStatus` of built-in kinds: a write to `/status` keeps two fields of its own metadata. */
export function resetBuiltInStatus(object: ApiObject, old: ApiObject | undefined, subresource: string): void {
  const { generateName, deletionGracePeriodSeconds } = object.metadata;
  resetStatus(object, old, subresource);
  setFields(object.metadata, { generateName, deletionGracePeriodSeconds });
}

/** `resetStatus` of older kinds: a write to `/status` also changes labels, annotations and finalizers. */
export function resetStatusAlone(object: ApiObject, old: ApiObject | undefined, subresource: string): void {
  const { metadata } = object;
  resetStatus(object, old, subresource);
  if (subresource === "status") object.metadata = metadata;
}

/** Restores one field of the metadata from the stored object. */
export function takeOver(
  metadata: ApiObject["metadata"],
  old: ApiObject["metadata"],
  field: "labels" | "ownerReferences",
): void {
  setFields(metadata, { [field]: old[field] });
}

/** Sets fields, or deletes those whose value is undefined. */
function setFields(target: object, fields: Record<string, unknown>): void {
  for (const [field, value] of Object.entries(fields)) {
    if (value === undefined) Reflect.deleteProperty(target, field);
    else Reflect.set(target, field, value);
  }
}
