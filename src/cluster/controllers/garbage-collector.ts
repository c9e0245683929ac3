import { type KubernetesObject, type OwnerReference, parseApiVersion } from "@tsbuilder/apimachinery/meta";
import type { Controller, ControllerContext } from "../control-loop/controller.ts";
import type { DeletionOptions, ObjectEvent, ServedResource } from "../contract/cluster-objects.ts";
import { reporting } from "../control-loop/record-event.ts";
import { type ObjectKey, objectKey, readObject } from "../control-loop/keys.ts";

const user = "system:serviceaccount:kube-system:generic-garbage-collector";

/** The owners of an object by their state. */
interface Owners {
  /** The owner exists, and does not wait for dependents. */
  readonly present: readonly OwnerReference[];
  /** The owner is deleted, or replaced by another object of the same name. */
  readonly absent: readonly OwnerReference[];
  /** The owner is being deleted in the foreground, and waits for dependents such as this object. */
  readonly waiting: readonly OwnerReference[];
  /** The kind is not served, so that the state is unknown. */
  readonly unknown: readonly OwnerReference[];
  /** The reference is invalid: a cluster-scoped object can't have a namespaced owner. */
  readonly invalid: readonly OwnerReference[];
}

/** The finalizers by which an object that is being deleted waits for the garbage collector. */
type Finalizer = "orphan" | "foregroundDeletion";

/** Deletes objects whose owners are all gone, and implements the propagation policies Foreground and Orphan. */
export function garbageCollector(context: ControllerContext): Controller {
  const dependents = new Dependents();
  const { objects, report } = reporting(context, user, "garbage-collector-controller");
  return {
    /** Enqueues the object; on its deletion also its dependents, and its owners, which may wait for it. */
    keysOf(event) {
      dependents.record(event);
      const { type, resource, object } = event;
      const { deletionTimestamp, ownerReferences } = object.metadata;
      // Most objects have no owners and are not being deleted: there is nothing to do.
      const needsWork = deletionTimestamp || ownerReferences?.length;
      const ownKeys = type !== "DELETED" && needsWork ? [objectKey(resource, object)] : [];
      if (type !== "DELETED" && !deletionTimestamp) return ownKeys;
      return [...ownKeys, ...dependents.of(object.metadata.uid ?? ""), ...ownersOf(object)];
    },

    async reconcile(key) {
      const object = readObject(objects, key);
      if (!object) return undefined;
      if (isBeingDeleted(object, "orphan")) await orphan(object);
      else if (isBeingDeleted(object, "foregroundDeletion")) await finishForeground(object);
      else if (!object.metadata.deletionTimestamp) await collect(object);
      return undefined;
    },
  };

  function ownersOf({ metadata }: KubernetesObject): ObjectKey[] {
    return (metadata.ownerReferences ?? []).flatMap((reference) => {
      const served = findResource(reference);
      const namespace = served?.namespaced ? (metadata.namespace ?? "") : "";
      return served ? [`${served.resource}/${namespace}/${reference.name}`] : [];
    });
  }

  function dependentsOf({ metadata }: KubernetesObject): KubernetesObject[] {
    return dependents.of(metadata.uid ?? "").flatMap((key) => readObject(objects, key) ?? []);
  }

  /** Removes the references of an owner's dependents to it, then lets the owner go. */
  async function orphan(owner: KubernetesObject): Promise<void> {
    for (const dependent of dependentsOf(owner)) {
      await dropReferences(dependent, ({ uid }) => uid === owner.metadata.uid);
    }
    await removeFinalizer(owner, "orphan");
  }

  /** Deletes the dependents that block an owner; lets the owner go once there are none. */
  async function finishForeground(owner: KubernetesObject): Promise<void> {
    const blocking = dependentsOf(owner).filter((dependent) => blocks(dependent, owner));
    if (blocking.length === 0) await removeFinalizer(owner, "foregroundDeletion");
    for (const dependent of blocking) {
      if (!dependent.metadata.deletionTimestamp) await collect(dependent);
    }
  }

  /** Deletes an object that has no owner left; if it has one, only the references to absent owners are removed. */
  async function collect(object: KubernetesObject): Promise<void> {
    const owners = classifyOwners(object);
    const why = "is namespaced, which a cluster-scoped object can't refer to";
    for (const reference of owners.invalid) await reportOwner(object, reference, why);
    if (owners.invalid.length > 0 || owners.unknown.length > 0) return;
    const lostOwners = [...owners.absent, ...owners.waiting];
    if (lostOwners.length === 0) return;
    if (owners.present.length > 0) {
      await dropReferences(object, ({ uid }) => lostOwners.some((reference) => reference.uid === uid));
    } else if (owners.waiting.length > 0 && dependentsOf(object).length > 0) {
      await deleteInForeground(object);
    } else {
      if (owners.waiting.length === 0) await reportForeign(object, owners.absent);
      await remove(object, policyOf(object));
    }
  }

  /** Looks up the owners of an object. They are in the same namespace, or cluster-scoped. */
  function classifyOwners({ metadata }: KubernetesObject): Owners {
    const owners: Record<keyof Owners, OwnerReference[]> = {
      present: [],
      absent: [],
      waiting: [],
      unknown: [],
      invalid: [],
    };
    for (const reference of metadata.ownerReferences ?? []) {
      owners[classify(reference, metadata.namespace)].push(reference);
    }
    return owners;
  }

  function classify(reference: OwnerReference, namespace: string | undefined): keyof Owners {
    const resource = findResource(reference);
    if (!resource) return "unknown";
    if (resource.namespaced && !namespace) return "invalid";
    const owner = objects.get(resource.resource, resource.namespaced ? namespace : undefined, reference.name);
    if (!owner || owner.metadata.uid !== reference.uid) return "absent";
    return isBeingDeleted(owner, "foregroundDeletion") ? "waiting" : "present";
  }

  /** Finds the resource of an owner; the version in the reference doesn't matter. */
  function findResource({ apiVersion, kind }: OwnerReference): ServedResource | undefined {
    return objects.findKind(parseApiVersion(apiVersion).group, kind);
  }

  /** Deletes an object in the foreground. In a cycle, where it would wait for itself, its references stop blocking. */
  async function deleteInForeground(object: KubernetesObject): Promise<void> {
    const isInCycle = dependentsOf(object).some((other) => isBeingDeleted(other, "foregroundDeletion"));
    const unblock = (reference: OwnerReference) => ({ ...reference, blockOwnerDeletion: false });
    const unblocked = isInCycle
      ? await update(object, { ownerReferences: object.metadata.ownerReferences?.map(unblock) ?? [] })
      : object;
    await remove(unblocked, "Foreground");
  }

  function remove(
    object: KubernetesObject,
    propagationPolicy: DeletionOptions["propagationPolicy"],
  ): Promise<void> {
    return objects.delete(user, object, { uid: object.metadata.uid, propagationPolicy });
  }

  async function dropReferences(
    object: KubernetesObject,
    isDropped: (reference: OwnerReference) => boolean,
  ): Promise<void> {
    const ownerReferences = (object.metadata.ownerReferences ?? []).filter(
      (reference) => !isDropped(reference),
    );
    await update(object, { ownerReferences });
  }

  async function removeFinalizer(object: KubernetesObject, finalizer: Finalizer): Promise<void> {
    const finalizers = (object.metadata.finalizers ?? []).filter((other) => other !== finalizer);
    await update(object, { finalizers });
  }

  function update(
    object: KubernetesObject,
    changes: Partial<KubernetesObject["metadata"]>,
  ): Promise<KubernetesObject> {
    return objects.update(user, { ...object, metadata: { ...object.metadata, ...changes } });
  }

  /** Reports owners that exist in another namespace, and therefore own nothing here. */
  async function reportForeign(
    object: KubernetesObject,
    references: readonly OwnerReference[],
  ): Promise<void> {
    for (const reference of references) {
      const served = findResource(reference);
      const isElsewhere =
        served && objects.list(served.resource).some(({ metadata }) => metadata.uid === reference.uid);
      const why = `does not exist in namespace "${object.metadata.namespace}"`;
      if (isElsewhere) await reportOwner(object, reference, why);
    }
  }

  function reportOwner(
    object: KubernetesObject,
    { apiVersion, kind, name, uid }: OwnerReference,
    problem: string,
  ): Promise<void> {
    const namespace = object.metadata.namespace ?? "";
    const owner = `ownerRef [${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
    return report(object, "Warning", "OwnerRefInvalidNamespace", `${owner} ${problem}`);
  }
}

/** An index of dependents by the uid of their owner. */
class Dependents {
  readonly #byOwner = new Map<string, Set<ObjectKey>>();
  readonly #owners = new Map<ObjectKey, readonly string[]>();

  /** Brings the index up to date with an event. */
  record({ type, resource, object }: ObjectEvent): void {
    const key = objectKey(resource, object);
    for (const uid of this.#owners.get(key) ?? []) this.#forget(uid, key);
    this.#owners.delete(key);
    const owners = (object.metadata.ownerReferences ?? []).map(({ uid }) => uid);
    if (type === "DELETED" || owners.length === 0) return;
    this.#owners.set(key, owners);
    for (const uid of owners) {
      const dependents = this.#byOwner.get(uid);
      if (dependents) dependents.add(key);
      else this.#byOwner.set(uid, new Set([key]));
    }
  }

  of(uid: string): readonly ObjectKey[] {
    return [...(this.#byOwner.get(uid) ?? [])];
  }

  #forget(uid: string, key: ObjectKey): void {
    const dependents = this.#byOwner.get(uid);
    dependents?.delete(key);
    if (dependents?.size === 0) this.#byOwner.delete(uid);
  }
}

function isBeingDeleted({ metadata }: KubernetesObject, finalizer: Finalizer): boolean {
  return Boolean(metadata.deletionTimestamp) && (metadata.finalizers ?? []).includes(finalizer);
}

/** Returns true if an owner that is deleted in the foreground must wait for a dependent. */
function blocks({ metadata }: KubernetesObject, owner: KubernetesObject): boolean {
  return (metadata.ownerReferences ?? []).some(
    ({ uid, blockOwnerDeletion }) => uid === owner.metadata.uid && blockOwnerDeletion === true,
  );
}

/** The propagation policy of the object's own finalizers. */
function policyOf({ metadata }: KubernetesObject): DeletionOptions["propagationPolicy"] {
  const finalizers = metadata.finalizers ?? [];
  if (finalizers.includes("orphan")) return "Orphan";
  return finalizers.includes("foregroundDeletion") ? "Foreground" : "Background";
}
