import type { KubernetesObject, OwnerReference } from "@tsbuilder/apimachinery/meta";
import type { Controller, ControllerContext } from "../../control-loop/controller.ts";
import type { DeletionOptions } from "../../contract/cluster-objects.ts";
import { reporter } from "../../control-loop/record-event.ts";
import { classifyOwners, findResource, isForegroundDeleted } from "./classify-owners.ts";
import { Dependents } from "./dependents.ts";
import { objectKey, type ObjectKey, readObject } from "./object-key.ts";

const user = "system:serviceaccount:kube-system:generic-garbage-collector";

/**
 * Deletes objects whose owners are all gone, and implements the two propagation policies that concern
 * dependents: Foreground (dependents first) and Orphan (dependents stay).
 */
export function garbageCollector(context: ControllerContext): Controller {
  const { objects } = context;
  const report = reporter(context, "garbage-collector-controller");
  const dependents = new Dependents();
  return {
    /**
     * The object itself; once it is deleted or being deleted, also its dependents and its owners, which may
     * wait for it.
     */
    keysOf(event) {
      dependents.record(event);
      const { type, resource, object } = event;
      const own = type === "DELETED" ? [] : [objectKey(resource, object)];
      if (type !== "DELETED" && !object.metadata.deletionTimestamp) return own;
      return [...own, ...dependents.of(object.metadata.uid ?? ""), ...ownersOf(object)];
    },

    async reconcile(key) {
      const object = readObject(objects, key);
      if (!object) return undefined;
      if (isOrphaning(object)) await orphan(object);
      else if (isForegroundDeleted(object)) await finishForeground(object);
      else if (!object.metadata.deletionTimestamp) await collect(object);
      return undefined;
    },
  };

  function ownersOf({ metadata }: KubernetesObject): ObjectKey[] {
    return (metadata.ownerReferences ?? []).flatMap((reference) => {
      const served = findResource(objects, reference);
      const namespace = served?.namespaced ? (metadata.namespace ?? "") : "";
      return served ? [`${served.resource}/${namespace}/${reference.name}`] : [];
    });
  }

  function dependentsOf({ metadata }: KubernetesObject): KubernetesObject[] {
    return dependents.of(metadata.uid ?? "").flatMap((key) => readObject(objects, key) ?? []);
  }

  async function orphan(owner: KubernetesObject): Promise<void> {
    for (const dependent of dependentsOf(owner)) {
      await dropReferences(dependent, ({ uid }) => uid === owner.metadata.uid);
    }
    await removeFinalizer(owner, "orphan");
  }

  async function finishForeground(owner: KubernetesObject): Promise<void> {
    const blocking = dependentsOf(owner).filter((dependent) => blocks(dependent, owner));
    if (blocking.length === 0) await removeFinalizer(owner, "foregroundDeletion");
    for (const dependent of blocking) if (!dependent.metadata.deletionTimestamp) await collect(dependent);
  }

  /**
   * Deletes an object that has no owner left; if it has one, only the references to absent owners are
   * removed.
   */
  async function collect(object: KubernetesObject): Promise<void> {
    const owners = classifyOwners(objects, object);
    for (const reference of owners.invalid) await reportInvalid(object, reference);
    if (owners.invalid.length > 0 || owners.unknown.length > 0) return;
    const lost = [...owners.absent, ...owners.waiting];
    if (lost.length === 0) return;
    if (owners.solid.length > 0) {
      await dropReferences(object, ({ uid }) => lost.some((reference) => reference.uid === uid));
    } else if (owners.waiting.length > 0 && dependentsOf(object).length > 0) {
      await deleteInForeground(object);
    } else {
      if (owners.waiting.length === 0) await reportForeign(object, owners.absent);
      await remove(object, policyOf(object));
    }
  }

  /** In a cycle an object would wait for itself, so its own references must not block then. */
  async function deleteInForeground(object: KubernetesObject): Promise<void> {
    const inCycle = dependentsOf(object).some(isForegroundDeleted);
    const freed = inCycle ? await unblock(object) : object;
    await remove(freed, "Foreground");
  }

  function unblock(object: KubernetesObject): Promise<KubernetesObject> {
    const ownerReferences = (object.metadata.ownerReferences ?? []).map((reference) => ({
      ...reference,
      blockOwnerDeletion: false,
    }));
    return objects.update(user, { ...object, metadata: { ...object.metadata, ownerReferences } });
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
    const ownerReferences = (object.metadata.ownerReferences ?? []).filter((it) => !isDropped(it));
    await objects.update(user, { ...object, metadata: { ...object.metadata, ownerReferences } });
  }

  async function removeFinalizer(object: KubernetesObject, finalizer: string): Promise<void> {
    const finalizers = (object.metadata.finalizers ?? []).filter((other) => other !== finalizer);
    await objects.update(user, { ...object, metadata: { ...object.metadata, finalizers } });
  }

  function reportInvalid(object: KubernetesObject, reference: OwnerReference): Promise<void> {
    return reportOwner(object, reference, "is namespaced, which a cluster-scoped object can't refer to");
  }

  /**
   * An owner that exists in another namespace owns nothing here, which may surprise the author of the
   * reference.
   */
  async function reportForeign(
    object: KubernetesObject,
    references: readonly OwnerReference[],
  ): Promise<void> {
    for (const reference of references) {
      const served = findResource(objects, reference);
      const elsewhere =
        served && objects.list(served.resource).some(({ metadata }) => metadata.uid === reference.uid);
      if (elsewhere) {
        await reportOwner(object, reference, `does not exist in namespace "${object.metadata.namespace}"`);
      }
    }
  }

  function reportOwner(
    object: KubernetesObject,
    { apiVersion, kind, name, uid }: OwnerReference,
    what: string,
  ): Promise<void> {
    const namespace = object.metadata.namespace ?? "";
    const owner = `ownerRef [${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
    return report(object, "Warning", "OwnerRefInvalidNamespace", `${owner} ${what}`);
  }
}

function isOrphaning({ metadata }: KubernetesObject): boolean {
  return Boolean(metadata.deletionTimestamp) && (metadata.finalizers ?? []).includes("orphan");
}

function blocks({ metadata }: KubernetesObject, owner: KubernetesObject): boolean {
  return (metadata.ownerReferences ?? []).some(
    ({ uid, blockOwnerDeletion }) => uid === owner.metadata.uid && blockOwnerDeletion === true,
  );
}

/** The policy of an earlier deletion of the object still applies. */
function policyOf({ metadata }: KubernetesObject): DeletionOptions["propagationPolicy"] {
  const finalizers = metadata.finalizers ?? [];
  if (finalizers.includes("orphan")) return "Orphan";
  return finalizers.includes("foregroundDeletion") ? "Foreground" : "Background";
}
