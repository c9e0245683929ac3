import { compareText } from "@tsbuilder/apimachinery/text";
import type { JSONObject } from "@tsbuilder/apimachinery/json";
import { type Endpoint, trackUpdate } from "@tsbuilder/apimachinery/patch/apply";
import { type ManagedFieldsEntry, parseApiVersion } from "@tsbuilder/apimachinery/meta";
import type { ApiObject } from "../contract/api-object.ts";
import type { Resource } from "./resource.ts";
import { apiVersionOfWrite, type Write } from "./write.ts";

/** The endpoint of a write, as managed fields record it. */
export function endpointOf(write: Write): Endpoint {
  const { resource, subresource } = write;
  return {
    apiVersion: apiVersionOfWrite(write),
    kind: resource.kind,
    ...(subresource !== "" && { subresource }),
    resetFields: resetPaths(resource, subresource),
    ...(resource.emptyObject && { emptyObject: resource.emptyObject }),
    schemaOf: (apiVersion) =>
      resource.versions.find(({ name }) => name === parseApiVersion(apiVersion).version)?.schema?.node,
    convert: async (object, apiVersion) => {
      const { group, version } = parseApiVersion(apiVersion);
      if (group !== resource.group || !resource.versions.some(({ name }) => name === version))
        return undefined;
      return (await resource.convert(object as unknown as ApiObject, version)) as unknown as JSONObject;
    },
  };
}

/** Updates the managed fields for a write that is not an apply. */
export async function trackManagers(
  write: Write,
  live: ApiObject | undefined,
  next: ApiObject,
): Promise<ApiObject> {
  const tracked = await trackUpdate(endpointOf(write), {
    live: live as JSONObject | undefined,
    next: next as unknown as JSONObject,
    manager: write.fieldManager,
    time: write.core.clock.now(),
  });
  if (write.subresource === "scale") dropTimes(tracked as unknown as ApiObject);
  return tracked as unknown as ApiObject;
}

/** Removes the times of managed fields: a Scale has none. */
export function dropTimes({ metadata }: ApiObject): void {
  for (const entry of metadata.managedFields ?? []) {
    if (entry.subresource === "scale") delete entry.time;
  }
  metadata.managedFields?.sort(byTime);
}

/** Restores the managed fields after admission: webhooks can't change them. */
export function restoreManagers(
  { metadata }: ApiObject,
  managedFields: ManagedFieldsEntry[] | undefined,
): void {
  if (managedFields === undefined) delete metadata.managedFields;
  else metadata.managedFields = managedFields;
}

function byTime(a: ManagedFieldsEntry, b: ManagedFieldsEntry): number {
  if (a.operation !== b.operation) return a.operation === "Apply" ? -1 : 1;
  return compareText(a.time ?? "", b.time ?? "");
}

function resetPaths(resource: Resource, subresource: string): string[][] {
  if (!resource.subresources.has("status")) return [];
  if (subresource === "status")
    return [["spec"], ...(resource.strategy.statusWritesMetadata ? [] : [["metadata"]])];
  return [["status"]];
}
