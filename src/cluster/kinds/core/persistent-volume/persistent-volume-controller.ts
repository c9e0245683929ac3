import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import {
  type PersistentVolume,
  persistentVolumeClaims,
  persistentVolumes,
  type PersistentVolumeClaim,
  type Pod,
  pods,
  storageClasses,
  volumeAttributesClasses,
} from "../../../control-loop/api/core.ts";
import { type Controller, type ControllerContext, userOf } from "../../../control-loop/controller.ts";
import { findByKey, keyOf } from "../../../control-loop/keys.ts";
import {
  attributesClassesOf,
  attributesProtection,
  claimBinder,
  claimProtection,
  claimsOfPod,
  defaultClass,
  isInUse,
  standardClass,
  volumeProtection,
} from "./bind-claims.ts";

const user = userOf("persistent-volume-binder");

interface VolumeContext extends ControllerContext {
  readonly bindClaim: ReturnType<typeof claimBinder>;
}

/** Binds claims to volumes; provisions, expands and reclaims volumes of its own StorageClass. */
export function persistentVolumeController(context: ControllerContext): Controller {
  const { objects } = context;
  const steps = { ...context, bindClaim: claimBinder(context) };
  return {
    watches: [persistentVolumeClaims, persistentVolumes, storageClasses, volumeAttributesClasses, pods],
    startKeys: ["class"],

    /** Any pending claim may be waiting for this volume or class. */
    keysOf({ resource, object }) {
      if (resource === pods) return claimsOfPod(object as Pod).map((key) => `claim${key}`);
      if (resource === volumeAttributesClasses) return [`attributes${object.metadata.name}`];
      if (resource === persistentVolumeClaims) {
        const claim = object as PersistentVolumeClaim;
        return [`claim${keyOf(claim)}`, ...volumeKeyOf(steps, claim), ...attributesKeysOf(claim)];
      }
      const waiting = objects.list(persistentVolumeClaims).filter(({ spec }) => !spec.volumeName);
      const claims = waiting.map((claim) => `claim${keyOf(claim)}`);
      if (resource !== persistentVolumes) return claims;
      const { claimRef } = (object as PersistentVolume).spec;
      const bound = claimRef ? [`claim${claimRef.namespace}/${claimRef.name}`] : [];
      const attributes = attributesKeysOf(object as PersistentVolume);
      return [`volume${keyOf(object)}`, ...bound, ...claims, ...attributes];
    },

    async reconcile(key) {
      if (key === "class") await ensureClass(steps);
      else if (key.startsWith("attributes")) await settleAttributes(steps, key.slice("attributes".length));
      else if (key.startsWith("claim")) await settleClaim(steps, key.slice("claim".length));
      else await settleVolume(steps, key.slice("volume".length));
      return undefined;
    },
  };
}

function volumeKeyOf(context: VolumeContext, object: { metadata: { uid?: string } }): string[] {
  const { objects } = context;
  return objects
    .list(persistentVolumes)
    .filter(({ spec }) => spec.claimRef?.uid === object.metadata.uid)
    .map((volume) => `volume${keyOf(volume)}`);
}

function attributesKeysOf(user: PersistentVolume | PersistentVolumeClaim): string[] {
  return attributesClassesOf(user).map((name) => `attributes${name}`);
}

/** Lets a deleted VolumeAttributesClass go once no claim and no volume names it any more. */
async function settleAttributes(context: VolumeContext, name: string): Promise<void> {
  const { objects } = context;
  const found = objects.get(volumeAttributesClasses, undefined, name);
  if (!found?.metadata.deletionTimestamp) return;
  const users = [...objects.list(persistentVolumeClaims), ...objects.list(persistentVolumes)];
  if (users.some((each) => attributesClassesOf(each).includes(name))) return;
  await release(context, found, attributesProtection);
}

async function ensureClass(context: VolumeContext): Promise<void> {
  const { objects } = context;
  if (!objects.get(storageClasses, undefined, defaultClass)) await objects.create(user, standardClass());
}

async function settleClaim(context: VolumeContext, key: string): Promise<void> {
  const { objects, bindClaim } = context;
  const found = findByKey(objects, persistentVolumeClaims, key);
  if (!found) return;
  if (found.metadata.deletionTimestamp) {
    if (!isInUse(found, objects.list(pods, found.metadata.namespace)))
      await release(context, found, claimProtection);
    return;
  }
  await bindClaim(found);
}

/** Removes the finalizer that protects an object while it is in use. */
async function release(context: VolumeContext, object: KubernetesObject, finalizer: string): Promise<void> {
  const { objects } = context;
  const finalizers = object.metadata.finalizers ?? [];
  if (!finalizers.includes(finalizer)) return;
  const others = finalizers.filter((name) => name !== finalizer);
  await objects.update(user, { ...object, metadata: { ...object.metadata, finalizers: others } });
}

/** When its claim is deleted, a volume is deleted or released, according to its reclaim policy. */
async function settleVolume(context: VolumeContext, key: string): Promise<void> {
  const { objects } = context;
  const volume = findByKey(objects, persistentVolumes, key);
  if (!volume) return;
  const { claimRef, persistentVolumeReclaimPolicy } = volume.spec;
  const claim = claimRef && objects.get(persistentVolumeClaims, claimRef.namespace, claimRef.name ?? "");
  const bound = claim !== undefined && claim.metadata.uid === claimRef?.uid;
  const lost = claimRef?.uid !== undefined && !bound;
  if (volume.metadata.deletionTimestamp && !bound) {
    await release(context, volume, volumeProtection);
    return;
  }
  if (lost && persistentVolumeReclaimPolicy === "Delete") {
    if (!volume.metadata.deletionTimestamp) await objects.delete(user, volume, { uid: volume.metadata.uid });
    return;
  }
  const phase = bound ? "Bound" : lost ? "Released" : "Available";
  if (volume.status?.phase === phase) return;
  await objects.update(user, { ...volume, status: { ...volume.status, phase } }, "status");
}
