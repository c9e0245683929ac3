import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import {
  type PersistentVolume,
  persistentVolumeClaims,
  persistentVolumes,
  type Pod,
  pods,
  storageClasses,
} from "../../../../control-loop/api/core.ts";
import { type Controller, type ControllerContext, userOf } from "../../../../control-loop/controller.ts";
import { findByKey, keyOf } from "../../../../control-loop/keys.ts";
import { claimBinder } from "./bind-claims.ts";
import { claimProtection, claimsOfPod, isInUse, volumeProtection } from "./protection.ts";
import { defaultClass, standardClass } from "./provision.ts";

const user = userOf("persistent-volume-binder");

/** Binds claims to volumes; provisions, expands and reclaims volumes of its own StorageClass. */
export function persistentVolumeController(context: ControllerContext): Controller {
  const { objects } = context;
  const bindClaim = claimBinder(context);
  return {
    watches: [persistentVolumeClaims, persistentVolumes, storageClasses, pods],
    startKeys: ["class"],

    /** Any pending claim may be waiting for this volume or class. */
    keysOf({ resource, object }) {
      if (resource === pods) return claimsOfPod(object as Pod).map((key) => `claim${key}`);
      if (resource === persistentVolumeClaims) return [`claim${keyOf(object)}`, ...volumeKeyOf(object)];
      const waiting = objects.list(persistentVolumeClaims).filter(({ spec }) => !spec.volumeName);
      const claims = waiting.map((claim) => `claim${keyOf(claim)}`);
      if (resource !== persistentVolumes) return claims;
      const { claimRef } = (object as PersistentVolume).spec;
      const bound = claimRef ? [`claim${claimRef.namespace}/${claimRef.name}`] : [];
      return [`volume${keyOf(object)}`, ...bound, ...claims];
    },

    async reconcile(key) {
      if (key === "class") await ensureClass();
      else if (key.startsWith("claim")) await settleClaim(key.slice("claim".length));
      else await settleVolume(key.slice("volume".length));
      return undefined;
    },
  };

  function volumeKeyOf(object: { metadata: { uid?: string } }): string[] {
    return objects
      .list(persistentVolumes)
      .filter(({ spec }) => spec.claimRef?.uid === object.metadata.uid)
      .map((volume) => `volume${keyOf(volume)}`);
  }

  async function ensureClass(): Promise<void> {
    if (!objects.get(storageClasses, undefined, defaultClass)) await objects.create(user, standardClass());
  }

  async function settleClaim(key: string): Promise<void> {
    const found = findByKey(objects, persistentVolumeClaims, key);
    if (!found) return;
    if (found.metadata.deletionTimestamp) {
      if (!isInUse(found, objects.list(pods, found.metadata.namespace)))
        await release(found, claimProtection);
      return;
    }
    await bindClaim(found);
  }

  /** Removes the finalizer that protects an object while it is in use. */
  async function release(object: KubernetesObject, finalizer: string): Promise<void> {
    const finalizers = object.metadata.finalizers ?? [];
    if (!finalizers.includes(finalizer)) return;
    const others = finalizers.filter((name) => name !== finalizer);
    await objects.update(user, { ...object, metadata: { ...object.metadata, finalizers: others } });
  }

  /** When its claim is deleted, a volume is deleted or released, according to its reclaim policy. */
  async function settleVolume(key: string): Promise<void> {
    const volume = findByKey(objects, persistentVolumes, key);
    if (!volume) return;
    const { claimRef, persistentVolumeReclaimPolicy } = volume.spec;
    const claim = claimRef && objects.get(persistentVolumeClaims, claimRef.namespace, claimRef.name ?? "");
    const bound = claim !== undefined && claim.metadata.uid === claimRef?.uid;
    const lost = claimRef?.uid !== undefined && !bound;
    if (volume.metadata.deletionTimestamp && !bound) {
      await release(volume, volumeProtection);
      return;
    }
    if (lost && persistentVolumeReclaimPolicy === "Delete") {
      if (!volume.metadata.deletionTimestamp)
        await objects.delete(user, volume, { uid: volume.metadata.uid });
      return;
    }
    const phase = bound ? "Bound" : lost ? "Released" : "Available";
    if (volume.status?.phase === phase) return;
    await objects.update(user, { ...volume, status: { ...volume.status, phase } }, "status");
  }
}
