import { isEqual } from "@tsbuilder/apimachinery/json";
import { formatTime } from "@tsbuilder/apimachinery/time";
import { conflict, notFound } from "../contract/status-error.ts";
import type { ApiObject } from "../contract/api-object.ts";
import { Entry } from "../storage/entry.ts";
import { type Write, admissionRequest, keyOfWrite } from "./write.ts";
import { kindSubject } from "./resource.ts";

/** The options of a deletion without `dryRun`, which is a field of every Write. */
interface DeletionRules {
  readonly gracePeriodSeconds?: number | undefined;
  readonly orphanDependents?: boolean | undefined;
  readonly propagationPolicy?: string | undefined;
  readonly preconditions?: { readonly [Field in "uid" | "resourceVersion"]?: string | undefined } | undefined;
}

/** The outcome of a deletion. */
interface Deletion {
  /** False if finalizers or its grace period keep the object. */
  readonly gone: boolean;
  readonly entry: Entry;
}

/** Deletes an object, or sets its deletion timestamp if finalizers or a grace period keep it. */
export async function deleteObject(write: Write, options: DeletionRules): Promise<Deletion> {
  const { core, resource } = write;
  const key = keyOfWrite(write);
  for (;;) {
    const stored = resource.collection.get(key);
    if (!stored) throw notFound(resource, write.name);
    checkPreconditions(write, stored.object, options);
    const current = await resource.present(stored, write.version);
    if (!write.admitted) {
      const request = admissionRequest(write, "DELETE", undefined, current.object);
      await core.admission.mutate(request);
      await core.admission.validate(request);
    }
    if (resource.collection.get(key) !== stored) continue;
    const { gone, entry } = removeOrMark(write, stored, options);
    return { gone, entry: await resource.present(entry, write.version) };
  }
}

/** Removes the object in this tick, or marks it as being deleted. A later DELETE can shorten the grace period. */
function removeOrMark(write: Write, stored: Entry, options: DeletionRules): Deletion {
  const { core, resource, dryRun } = write;
  const { strategy } = resource;
  strategy.beforeDelete?.(stored.object);
  const { metadata } = stored.object;
  const now = core.clock.now();
  const finalizers = finalizersFor(write, stored.object, options);
  const grace = strategy.gracePeriod?.(stored.object, options.gracePeriodSeconds) ?? 0;

  if (finalizers.length === 0 && grace === 0 && !strategy.isHeld?.(stored.object)) {
    if (dryRun) return { gone: true, entry: stored };
    const entry = core.store.remove(resource.collection, stored, lastState(write, stored, now));
    strategy.afterDelete?.(stored.object);
    return { gone: true, entry };
  }
  if (metadata.deletionTimestamp !== undefined) {
    const before = metadata.deletionGracePeriodSeconds ?? 0;
    const isShorter = grace < before;
    if (!isShorter && isEqual(finalizers, metadata.finalizers ?? [])) return { gone: false, entry: stored };
    const next = { ...metadata, ...(isShorter && deletionStamp(now, grace)) };
    if (finalizers.length > 0) next.finalizers = finalizers;
    else delete next.finalizers;
    return { gone: false, entry: storeMarked(write, stored, next) };
  }
  // Namespaces and CRDs end their own deletions, which have no grace period and no new generation.
  const endsItself = strategy.isHeld !== undefined || strategy.deletionFinalizers !== undefined;
  const next: ApiObject["metadata"] = {
    ...metadata,
    ...(!endsItself && metadata.generation !== undefined && { generation: metadata.generation + 1 }),
    ...deletionStamp(now, grace),
    ...(finalizers.length > 0 && { finalizers }),
  };
  if (endsItself) delete next.deletionGracePeriodSeconds;
  return { gone: false, entry: storeMarked(write, stored, next) };
}

/** The last state of a deleted object. After a grace period it is stamped as if the period had just ended. */
function lastState({ resource }: Write, { object }: Entry, now: number): ApiObject {
  if (!resource.strategy.gracePeriod) return object;
  const { metadata } = object;
  const isFirst = metadata.deletionTimestamp === undefined && metadata.generation !== undefined;
  const generation = isFirst && { generation: metadata.generation! + 1 };
  return { ...object, metadata: { ...metadata, ...generation, ...deletionStamp(now, 0) } };
}

/** The deletion timestamp is the end of the grace period, not the time of the request. */
function deletionStamp(now: number, grace: number) {
  return { deletionTimestamp: formatTime(now + grace * 1000), deletionGracePeriodSeconds: grace };
}

/** Stores the object with the metadata and other changes that mark it as being deleted. */
function storeMarked(write: Write, stored: Entry, metadata: ApiObject["metadata"]): Entry {
  const marked = write.resource.strategy.markDeleted?.(stored.object) ?? stored.object;
  const object = { ...marked, metadata };
  if (write.dryRun) return new Entry(stored.key, stored.revision, object);
  return write.core.store.put(write.resource.collection, stored.key, object);
}

const foregroundFinalizer = "foregroundDeletion";
const orphanFinalizer = "orphan";

/** Returns the finalizers after the DELETE: the propagation policy becomes one, which the garbage collector removes. */
function finalizersFor(write: Write, object: ApiObject, options: DeletionRules): string[] {
  const before = object.metadata.finalizers ?? [];
  const policy = findPolicy(write, before, options);
  const otherFinalizers = before.filter((name) => name !== foregroundFinalizer && name !== orphanFinalizer);
  const added =
    object.metadata.deletionTimestamp === undefined ? write.resource.strategy.deletionFinalizers : [];
  const kept = [...new Set([...otherFinalizers, ...(added ?? [])])];
  if (policy === "Foreground") return [...kept, foregroundFinalizer];
  if (policy === "Orphan") return [...kept, orphanFinalizer];
  return kept;
}

function findPolicy({ resource }: Write, before: readonly string[], options: DeletionRules): string {
  const { defaultPropagation = "Background" } = resource.strategy;
  if (defaultPropagation === "Unsupported") return defaultPropagation;
  const { propagationPolicy, orphanDependents } = options;
  if (propagationPolicy !== undefined) return propagationPolicy;
  if (orphanDependents !== undefined) return orphanDependents ? "Orphan" : "Background";
  if (before.includes(foregroundFinalizer)) return "Foreground";
  if (before.includes(orphanFinalizer)) return "Orphan";
  return defaultPropagation;
}

function checkPreconditions(
  { resource, name }: Write,
  { metadata }: ApiObject,
  options: DeletionRules,
): void {
  for (const [field, shown, change] of [
    ["uid", "UID", "deleted and then recreated"],
    ["resourceVersion", "ResourceVersion", "modified"],
  ] as const) {
    const expected = options.preconditions?.[field];
    if (expected === undefined || expected === metadata[field]) continue;
    const why = `the ${shown} in the precondition (${expected}) does not match the ${shown} in record (${metadata[field]}). The object might have been ${change}`;
    throw conflict({ ...kindSubject(resource), plural: resource.kind }, name, why);
  }
}
