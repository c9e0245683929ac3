import { randomUUID } from "node:crypto";
import { formatTime } from "@tsbuilder/apimachinery/time";
import { StatusError, alreadyExists, badRequest, invalidObject } from "../contract/status-error.ts";
import { servesSince } from "../contract/version.ts";
import type { ApiObject } from "../contract/api-object.ts";
import { Entry } from "../storage/entry.ts";
import { canTrack, restoreManagers, trackManagers, withoutManagers } from "./field-manager.ts";
import { isUnreadable, parseRevision, removeDuplicateOwners, removeSystemMetadata } from "./object-meta.ts";
import { keyOf, kindSubject } from "./resource.ts";
import { listedErrors, validateAnyMetadata, validateNewMetadata } from "./validate-metadata.ts";
import { type Write, admissionRequest } from "./write.ts";
import { denied, resourceAttributes } from "../contract/authorizer.ts";

/**
 * Creates an object: mutating admission, the server's own fields, defaults, validation, validating admission, commit.
 * The object is changed in place. Returns the stored object in the request's version. `checkCreate` is set for a PUT or a
 * server-side apply: the user's permission to create is still to be checked.
 */
export async function createObject(write: Write, object: ApiObject, { checkCreate = false } = {}) {
  const { resource, core } = write;
  const { strategy } = resource;
  await resource.load?.();
  setNamespace(write, object);
  if (!checkCreate || servesSince("1.37")) removeSystemMetadata(object);
  const isTracked = !write.applied && canTrack(write, object);
  strategy.resetFields(object, undefined, "");
  strategy.default?.(object, write);
  removeDuplicateOwners(write, object, "client");

  // Managed fields are computed before admission: nobody owns the fields that webhooks and plugins add.
  const tracked = isTracked ? await trackManagers(write, undefined, object) : withoutManagers(object);
  const owned = write.applied ? object : tracked;
  const { managedFields } = owned.metadata;
  const admitted = (await core.admission.mutate(admissionRequest(write, "CREATE", owned)))!;
  setNamespace(write, admitted);
  setGeneratedName(write, admitted);
  strategy.default?.(admitted, write);
  removeDuplicateOwners(write, admitted, "admission");
  restoreManagers(admitted, managedFields);
  setSystemMetadata(admitted, write);
  strategy.prepareForCreate?.(admitted, write);

  const errors = [
    ...validateNewMetadata(admitted, resource),
    ...((await strategy.validate?.(admitted, write)) ?? []),
  ];
  if (errors.length === 0) errors.push(...validateAnyMetadata(admitted, resource));
  if (errors.length > 0)
    throw invalidObject(kindSubject(resource), admitted.metadata.name ?? "", listedErrors(errors, resource));
  for (const warning of strategy.warnings?.(admitted, undefined) ?? []) write.warn(warning);
  if (checkCreate) allowCreation(write);
  const { name } = admitted.metadata;
  await core.admission.validate({ ...admissionRequest(write, "CREATE", admitted), name: name! });
  return commit(write, admitted);
}

/** Sets the metadata that only the server may set. Built-in kinds are stored without a selfLink. */
function setSystemMetadata({ metadata }: ApiObject, { resource, dryRun, now }: Write): void {
  metadata.uid = randomUUID();
  metadata.creationTimestamp = formatTime(now);
  if (!resource.custom && !dryRun) delete metadata.selfLink;
  if (resource.strategy.generation) metadata.generation = 1;
}

/** Denies a PUT or a server-side apply of a missing object to users who may not create it. */
function allowCreation({ core, resource, version, namespace, name, user }: Write): void {
  const { group, plural } = resource;
  const endpoint = { group, version, resource: plural, namespace, name };
  const attributes = resourceAttributes({ verb: "create", ...endpoint });
  const { allowed, reason } = core.authorizer.decide(user, attributes);
  if (!allowed) throw denied(user, attributes, reason);
}

/** Stores the object in the same tick in which it checks that the key is free. */
async function commit(write: Write, object: ApiObject): Promise<Entry> {
  const { core, resource } = write;
  checkNewResourceVersion(object.metadata.resourceVersion ?? "", write.dryRun);
  const stored = await resource.convert(object, resource.storageVersion);
  const key = keyOf(resource, write.namespace, object.metadata.name!);
  const existing = resource.collection.get(key);
  if (existing) {
    const { name, generateName } = object.metadata;
    throw alreadyExists(resource, name!, {
      isGenerated: Boolean(generateName),
      isDeleting: Boolean(existing.object.metadata.deletionTimestamp),
    });
  }
  resource.strategy.beforeCommit?.(stored, undefined, write);
  const entry = write.dryRun
    ? new Entry(key, core.store.revision, stored)
    : core.store.put(resource.collection, key, stored);
  return resource.present(entry, write.version);
}

/** Refuses a resourceVersion in a new object. As on the real server, a dry run and a malformed one pass. */
function checkNewResourceVersion(revision: string, dryRun: boolean): void {
  if (!dryRun && !isUnreadable(revision) && parseRevision(revision) !== 0n) {
    throw new StatusError(500, undefined, "resourceVersion should not be set on objects to be created");
  }
}

/** Sets the namespace of the path in an object; removes it from a cluster-scoped one. Throws if the object names another. */
export function setNamespace(
  { resource, namespace }: Pick<Write, "resource" | "namespace">,
  { metadata }: ApiObject,
): void {
  if (!resource.namespaced) {
    delete metadata.namespace;
    return;
  }
  metadata.namespace ||= namespace;
  if (metadata.namespace === namespace) return;
  throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
}

const nameAttempts = 8;

/** Sets a name from `generateName`. If eight attempts find no free one, the commit reports that the last one exists. */
function setGeneratedName({ resource, namespace }: Write, { metadata }: ApiObject): void {
  if (metadata.name || !metadata.generateName) return;
  for (let attempt = 0; attempt < nameAttempts; attempt++) {
    metadata.name = resource.strategy.generateName(metadata.generateName);
    if (!resource.collection.get(keyOf(resource, namespace, metadata.name))) return;
  }
}
