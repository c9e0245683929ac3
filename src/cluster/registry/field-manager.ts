import { compareText } from "@tsbuilder/apimachinery/text";
import type { JSONObject } from "@tsbuilder/apimachinery/json";
import {
  type Endpoint,
  isUntypable,
  managersForUpdate,
  mismatchOf,
  SchemaMismatchError,
  trackUpdate,
} from "@tsbuilder/apimachinery/patch/apply";
import { type ManagedFieldsEntry, parseApiVersion } from "@tsbuilder/apimachinery/meta";
import type { ApiObject } from "../contract/api-object.ts";
import { type ObjectSchema, type Resource, fieldText, subresourcesIn } from "./resource.ts";
import { apiVersionOfWrite, type Write } from "./write.ts";

/** Describes the endpoint of a write to server-side apply: the version and fields that managed fields record. */
export function endpointOf(write: Write): Endpoint {
  const { resource, subresource } = write;
  return {
    apiVersion: apiVersionOfWrite(write),
    kind: resource.kind,
    ...(subresource !== "" && { subresource }),
    resetFields: resetPaths(write),
    emptyObject: findVersion(resource, write.version)?.zero,
    schemaOf: (apiVersion) => findVersion(resource, parseApiVersion(apiVersion).version)?.schema?.node,
    convert: async (object, apiVersion) => {
      const { group, version } = parseApiVersion(apiVersion);
      const target = group === resource.group ? findVersion(resource, version) : undefined;
      if (!target) return undefined;
      if (resource.renamesVersions && write.applied) return renameVersion(object, apiVersion, target.schema);
      return (await resource.convert(object as unknown as ApiObject, version)) as unknown as JSONObject;
    },
  };
}

/**
 * Finds a version in which a manager wrote a custom object and which its CRD has no more. The real server can't compare what managers
 * wrote then: it refuses to apply, and other writes lose all managed fields.
 */
export function findRemovedVersion({ resource }: Write, live: ApiObject | undefined): string | undefined {
  if (!resource.custom) return undefined;
  const written = (live?.metadata.managedFields ?? []).map(({ apiVersion = "" }) => apiVersion);
  return written.find((apiVersion) => {
    const { group, version } = parseApiVersion(apiVersion);
    return group === resource.group && !findVersion(resource, version);
  });
}

/** Renames the version of an applied object. Throws if the other version does not know all its fields. */
function renameVersion(object: JSONObject, apiVersion: string, schema: ObjectSchema | undefined): JSONObject {
  const { metadata, ...content } = object;
  const mismatch = mismatchOf({ ...content, apiVersion }, schema?.node, { allowsDuplicates: true });
  if (mismatch !== undefined) throw new SchemaMismatchError(mismatch);
  return { ...content, ...(metadata !== undefined && { metadata }), apiVersion };
}

/**
 * Returns true if managed fields can be computed for a write of these objects, before `resetFields`. At that time, only
 * custom objects may have values of a wrong type, and most kinds reject items without a key.
 */
export function canTrack({ resource, version }: Write, ...objects: readonly ApiObject[]): boolean {
  const schema = findVersion(resource, version)?.schema;
  if (!(resource.custom || resource.strategy.mayLackKeys) || !schema) return true;
  return objects.every((object) => isTypable(schema.compiled?.prune(object).object ?? object, schema));
}

/** Finds a version, served or not: objects may have been written in a version that is no longer served. */
function findVersion({ versions, unserved = [] }: Resource, version: string) {
  const isWanted = ({ name }: { name: string }): boolean => name === version;
  return versions.find(isWanted) ?? unserved.find(isWanted);
}

function isTypable({ metadata: _metadata, ...content }: ApiObject, { node }: ObjectSchema): boolean {
  return !isUntypable(content as unknown as JSONObject, node);
}

/** Copies an object without managed fields. */
export function withoutManagers(object: ApiObject): ApiObject {
  const { managedFields: _managedFields, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Returns the object with managed fields for a write that is not an apply; without any if they can't be computed. */
export async function trackManagers(write: Write, live: ApiObject | undefined, next: ApiObject) {
  if (live && (findRemovedVersion(write, live) !== undefined || !areFieldsKnown(write, live, next)))
    return withoutManagers(next);
  if (write.subresource === "scale" && live && !isScaleOwned(write, live)) return next;
  const tracked = await trackUpdate(endpointOf(write), {
    live: live as JSONObject | undefined,
    next: next as unknown as JSONObject,
    manager: write.fieldManager,
    time: write.core.clock.now(),
  });
  const object = tracked as unknown as ApiObject;
  if (write.subresource === "scale") {
    disownZero(write, object);
    dropTimes(object);
  }
  return object;
}

/**
 * Returns true if the versions in which other managers wrote a stored object know all fields of its replacement. Versions
 * that differ only in their names aren't pruned for managed fields, which can't be computed with an unknown field.
 */
function areFieldsKnown({ resource, version, body, subresource }: Write, live: ApiObject, next: ApiObject) {
  if (!resource.renamesVersions || body) return true;
  const managers = managersForUpdate(
    live as JSONObject | undefined,
    next as unknown as JSONObject,
    subresource || undefined,
  );
  const written = new Set(
    [...managers.values()].map(({ apiVersion }) => parseApiVersion(apiVersion).version),
  );
  return [...written].every((other) => {
    const schema = other === version ? undefined : findVersion(resource, other)?.schema;
    return !schema || [live, next].every((object) => isTypable(object, schema));
  });
}

/** Returns true if a manager owns the replicas of the object. Otherwise a write to its Scale has no managers either. */
function isScaleOwned({ resource }: Write, { metadata }: ApiObject): boolean {
  return (metadata.managedFields ?? []).some(({ apiVersion = "", fieldsV1 = {} }) => {
    const { version } = parseApiVersion(apiVersion);
    const path = resource.versions.find(({ name }) => name === version)?.scale?.spec;
    return path !== undefined && fieldText(fieldsV1, `f:${path.replaceAll(".", ".f:")}`) !== "";
  });
}

/** Removes the manager of replicas of zero: a Scale omits them, so that nobody owns them. */
function disownZero({ resource, version, fieldManager }: Write, object: ApiObject): void {
  const path = resource.versions.find(({ name }) => name === version)?.scale?.spec;
  if (path === undefined || fieldText(object, path) !== "0") return;
  const { metadata } = object;
  const others = (metadata.managedFields ?? []).filter(
    ({ manager, subresource }) => manager !== fieldManager || subresource !== "scale",
  );
  if (others.length === 0) delete metadata.managedFields;
  else metadata.managedFields = others;
}

/** Removes the times of managed fields of a Scale: the real server records none. */
export function dropTimes({ metadata }: ApiObject): void {
  for (const entry of metadata.managedFields ?? []) {
    if (entry.subresource === "scale") delete entry.time;
  }
  metadata.managedFields?.sort(byTime);
}

/** Restores the managed fields after admission: webhooks can't change them. */
export function restoreManagers({ metadata }: ApiObject, managedFields: ManagedFieldsEntry[] | undefined) {
  if (managedFields === undefined) delete metadata.managedFields;
  else metadata.managedFields = managedFields;
}

/** Go's order of managed fields: applies first, then by time. */
function byTime(a: ManagedFieldsEntry, b: ManagedFieldsEntry): number {
  if (a.operation !== b.operation) return a.operation === "Apply" ? -1 : 1;
  return compareText(a.time ?? "", b.time ?? "");
}

/** Returns the paths that a write to this endpoint can't change: nobody owns them. Default: the status, or all but it. */
function resetPaths({ resource, version, subresource }: Write): string[][] {
  const declared = resource.strategy.resetPaths?.(subresource);
  if (declared) return declared;
  if (!subresourcesIn(resource, version).has("status")) return [];
  if (subresource === "status")
    return [["spec"], ...(resource.strategy.statusWritesMetadata ? [] : [["metadata"]])];
  return [["status"]];
}
