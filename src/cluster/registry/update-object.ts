import { type FieldError, invalid } from "@tsbuilder/apimachinery/errors";
import { type JSONObject, isEqual } from "@tsbuilder/apimachinery/json";
import { changedOnlyTimes } from "@tsbuilder/apimachinery/patch/apply";
import { badRequest, conflict, invalidObject, notFound } from "../contract/status-error.ts";
import type { ApiObject } from "../contract/api-object.ts";
import { Entry } from "../storage/entry.ts";
import type { AdmissionRequest } from "./core.ts";
import { type Write, admissionRequest, keyOfWrite } from "./write.ts";
import { createObject, setNamespace } from "./create-object.ts";
import { canTrack, restoreManagers, trackManagers, withoutManagers } from "./field-manager.ts";
import { carryOverMetadata, parseRevision, removeDuplicateOwners } from "./object-meta.ts";
import { kindSubject } from "./resource.ts";
import { listedErrors, validateUpdatedMetadata } from "./validate-metadata.ts";

/** The source of an update's new object. */
export interface UpdateSource {
  /** Makes the new object from the stored one, undefined if missing. The update may change the result in place. */
  next(current: ApiObject | undefined): ApiObject | Promise<ApiObject>;
  /** A uid in the object is a precondition, as for PUT; patches can't change the uid. */
  readonly uidIsCondition?: boolean;
  /** Creates the object if it is missing. */
  readonly createMissing?: boolean;
  /** Retries after a conflict with the newer object. False if the client sent a resourceVersion. */
  readonly retry: boolean;
}

/** How often an update without a resourceVersion is tried, as on the real server. */
const attempts = 5;

/**
 * Replaces an object with the one from `source`: resets, mutating admission, defaults, generation, validation,
 * validating admission, commit. Without any change there is no write. Removing the last finalizer of an object that is
 * being deleted deletes it.
 */
export async function updateObject(
  write: Write,
  source: UpdateSource,
): Promise<{ entry: Entry; created: boolean }> {
  const { resource } = write;
  await resource.load?.();
  const key = keyOfWrite(write);
  for (let attempt = 1; ; attempt++) {
    const stored = resource.collection.get(key);
    if (!stored) return { entry: await createMissing(write, source), created: true };
    const current = await resource.present(stored, write.version);
    const next = await source.next(current.object);
    const update = await prepare(write, current.object, next, source);
    const isSame = changedOnlyTimes(current.object as unknown as JSONObject, update as unknown as JSONObject);
    const converted =
      isSame && !resource.custom ? update : await resource.convert(update, resource.storageVersion);
    const changed = !isSame || differsFromStored(resource, stored, converted);
    if (resource.collection.get(key) === stored) {
      if (!changed && !isDue(write, current.object, converted)) return { entry: current, created: false };
      return { entry: await commit(write, stored, current.object, converted), created: false };
    }
    if (!source.retry || attempt === attempts) throw conflict(resource, write.name);
  }
}

/** Returns true for a custom object stored without today's defaults, or with fields that are pruned now: a write stores it. */
function differsFromStored({ custom }: Write["resource"], stored: Entry, converted: ApiObject): boolean {
  return (
    custom && !changedOnlyTimes(stored.object as unknown as JSONObject, converted as unknown as JSONObject)
  );
}

async function createMissing(write: Write, source: UpdateSource): Promise<Entry> {
  if (!source.createMissing || !canCreate(write)) throw notFound(write.resource, write.name);
  const object = await source.next(undefined);
  checkUid(write, "", object, source);
  parseRevision(object.metadata.resourceVersion);
  // As on the real server, a dry run returns the resourceVersion of the request.
  if (!write.dryRun) delete object.metadata.resourceVersion;
  return createObject(write, object, { checkCreate: true });
}

/** Returns true if a write may create the object, as writes to the status of some kinds may. */
export function canCreate({ resource, subresource, applied }: Write): boolean {
  if (subresource === "") return true;
  const { createOnUpdate, createOnStatusApply } = resource.strategy;
  return subresource === "status" && (createOnUpdate || (createOnStatusApply === true && applied === true));
}

/** Makes the object to store from the one of the source: all steps of an update but the commit. */
async function prepare(write: Write, current: ApiObject, next: ApiObject, source: UpdateSource) {
  const { resource, core } = write;
  const { strategy } = resource;
  checkPlace(write, next);
  if (write.options["kind"] === "PatchOptions") removeDuplicateOwners(write, next, "admission");
  checkUid(write, current.metadata.uid!, next, source);
  checkRevision(write, current, next);
  const hasManagers = write.applied === true || write.keepsManagers === true;
  const isTracked = !hasManagers && canTrack(write, current, next);
  strategy.resetFields(next, current, write.subresource);
  const isKept = write.applied === true && isEqual(withoutManagers(current), withoutManagers(next));
  // The object behind a Scale is already decoded, and an apply without changes keeps the object as it is.
  if (!write.body && !isKept) strategy.default?.(next, write);
  carryOverMetadata(next, current, write);
  removeDuplicateOwners(write, next, "client");
  const tracked = isTracked ? await trackManagers(write, current, next) : withoutManagers(next);
  const owned = hasManagers ? next : tracked;
  const { managedFields } = owned.metadata;
  const update = await mutate(write, owned, current);
  if (!isKept) strategy.default?.(update, write);
  strategy.resetFields(update, current, write.subresource);
  carryOverMetadata(update, current, write);
  removeDuplicateOwners(write, update, "admission");
  restoreManagers(update, managedFields);
  strategy.prepareForUpdate?.(update, current, write);
  if (strategy.generation && strategy.specChanged(update, current, write.subresource)) {
    update.metadata.generation = (current.metadata.generation ?? 0) + 1;
  }
  const errors = [
    ...validateUpdatedMetadata(update, current, resource, write.subresource),
    ...(await changeErrors(write, current, update)),
  ];
  if (errors.length > 0)
    throw invalidObject(kindSubject(resource), write.name, listedErrors(errors, resource));
  if (write.subresource === "" || write.subresource === "scale") {
    for (const warning of strategy.warnings?.(update, current) ?? []) write.warn(warning);
  }
  if (!write.admitted) await core.admission.validate(updateRequest(write, update, current));
  return update;
}

/**
 * Validates an update by the strategy. Ratcheting: an error whose rule the stored object breaks, too, is dropped, because an
 * older release accepted it. Errors without the name of a rule are kept, whether or not they are new.
 */
async function changeErrors(write: Write, current: ApiObject, update: ApiObject): Promise<FieldError[]> {
  const { strategy } = write.resource;
  const errors = (await strategy.validateUpdate?.(update, current, write)) ?? [];
  if (errors.every(({ rule }) => rule === undefined)) return errors;
  const before = (await strategy.validateUpdate?.(current, current, write)) ?? [];
  const broken = new Set(before.map(({ rule }) => rule));
  return errors.filter(({ rule }) => rule === undefined || !broken.has(rule));
}

/** The admission request of an update. If the body of the endpoint is another kind, admission sees that kind. */
function updateRequest(write: Write, object: ApiObject, current: ApiObject): AdmissionRequest {
  const show = write.body?.show ?? ((whole: ApiObject) => whole);
  return admissionRequest(write, "UPDATE", show(object), show(current));
}

async function mutate(write: Write, object: ApiObject, current: ApiObject): Promise<ApiObject> {
  if (write.admitted) return object;
  const mutated = (await write.core.admission.mutate(updateRequest(write, object, current)))!;
  return write.body ? write.body.take(mutated, object) : mutated;
}

/** Checks that an object has the name and namespace of the request, and sets absent ones. */
export function checkPlace(write: Write, object: ApiObject): void {
  const { name } = write;
  const { metadata } = object;
  setNamespace(write, object);
  metadata.name ||= name;
  if (metadata.name !== name) {
    throw badRequest(
      `the name of the object (${metadata.name}) does not match the name on the URL (${name})`,
    );
  }
}

/** Checks the uid of a PUT. A missing object, whose uid is empty here, does not meet it either. */
function checkUid(write: Write, uid: string, { metadata }: ApiObject, source: UpdateSource): void {
  if (!source.uidIsCondition || !metadata.uid || metadata.uid === uid) return;
  const key = etcdKeyOf(write);
  throw conflict(
    write.resource,
    write.name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${uid}`,
  );
}

/** The etcd prefixes of resources, where they differ from the plural. */
const etcdPrefixes: Readonly<Record<string, string>> = {
  "apiextensions.k8s.io/customresourcedefinitions": "apiextensions.k8s.io/customresourcedefinitions",
  "apiregistration.k8s.io/apiservices": "apiregistration.k8s.io/apiservices",
  "networking.k8s.io/ingresses": "ingress",
  "/endpoints": "services/endpoints",
  "/nodes": "minions",
  "/replicationcontrollers": "controllers",
  "/services": "services/specs",
};

/** The etcd key of an object, which some messages of the real server contain; a dry run omits its root. */
function etcdKeyOf({ resource, namespace, name, dryRun }: Write): string {
  const { group, plural, namespaced, custom } = resource;
  const prefix = custom ? `${group}/${plural}` : (etcdPrefixes[`${group}/${plural}`] ?? plural);
  return [dryRun ? "" : "/registry", prefix, ...(namespaced ? [namespace] : []), name].join("/");
}

/** Checks the resourceVersion of the new object; sets an absent one, if the kind allows unconditional updates. */
function checkRevision({ resource, name }: Write, current: ApiObject, next: ApiObject): void {
  const expected = parseRevision(next.metadata.resourceVersion);
  const revision = current.metadata.resourceVersion!;
  if (expected === 0n) {
    if (!resource.strategy.unconditionalUpdate) {
      const error = invalid("metadata.resourceVersion", 0, "must be specified for an update");
      throw invalidObject({ ...resource, kind: resource.plural }, name, [error]);
    }
    next.metadata.resourceVersion = revision;
    return;
  }
  if (expected !== BigInt(revision)) throw conflict(resource, name);
}

/** Returns true if nothing holds a deleted object any more: a write, even without changes, removes it. */
function isDue({ resource }: Write, current: ApiObject, next: ApiObject): boolean {
  return (
    current.metadata.deletionTimestamp !== undefined &&
    !next.metadata.finalizers?.length &&
    !resource.strategy.isHeld?.(next) &&
    (current.metadata.deletionGracePeriodSeconds ?? 0) === 0
  );
}

async function commit(write: Write, stored: Entry, current: ApiObject, converted: ApiObject): Promise<Entry> {
  const { core, resource, dryRun } = write;
  if (!dryRun && isDue(write, current, converted)) {
    const last = core.store.remove(resource.collection, stored, converted);
    resource.strategy.afterDelete?.(converted);
    return resource.present(last, write.version);
  }
  resource.strategy.beforeCommit?.(converted, stored.object, write);
  const entry = dryRun
    ? new Entry(stored.key, stored.revision, converted)
    : core.store.put(resource.collection, stored.key, converted);
  return resource.present(entry, write.version);
}
