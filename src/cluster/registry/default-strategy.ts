import { isEqual } from "@tsbuilder/apimachinery/json";
import type { ApiObject } from "../contract/api-object.ts";
import type { Strategy } from "./resource.ts";
import { subdomainName } from "./validate-name.ts";

/** What most built-in kinds do; a kind's own strategy spreads this and says what differs. */
export const defaultStrategy: Strategy = {
  createOnUpdate: false,
  unconditionalUpdate: true,
  generateName: true,
  generation: false,
  statusWritesMetadata: false,
  validateName: subdomainName,
  specChanged: (object, old) => !isEqual(object["spec"], old["spec"]),
  resetFields: resetStatus,
};

/** For kinds without a status subresource: every endpoint writes everything. */
export function resetNothing(): void {}

/** Status is written through /status only, and nothing else is. */
export function resetStatus(object: ApiObject, old: ApiObject | undefined, subresource: string): void {
  if (subresource === "status") {
    const status = object["status"];
    const { managedFields, resourceVersion, uid } = object.metadata;
    for (const field of Object.keys(object)) if (field !== "metadata") delete object[field];
    Object.assign(object, { ...old, metadata: { ...old!.metadata } });
    restore(object.metadata, { managedFields, resourceVersion, uid });
    restore(object, { status });
    return;
  }
  restore(object, { status: old?.["status"] });
}

/** As `resetStatus`, for the kinds of old: their /status writes labels, annotations and finalizers too. */
export function resetStatusAlone(object: ApiObject, old: ApiObject | undefined, subresource: string): void {
  const { metadata } = object;
  resetStatus(object, old, subresource);
  if (subresource === "status") object.metadata = metadata;
}

/** Leaves a field of the metadata as it is stored. */
export function takeOver(
  metadata: ApiObject["metadata"],
  old: ApiObject["metadata"],
  field: "labels" | "ownerReferences",
): void {
  restore(metadata, { [field]: old[field] });
}

/** Sets fields, or takes them out where they have no value. */
function restore(target: object, fields: Record<string, unknown>): void {
  for (const [field, value] of Object.entries(fields)) {
    if (value === undefined) Reflect.deleteProperty(target, field);
    else Reflect.set(target, field, value);
  }
}
