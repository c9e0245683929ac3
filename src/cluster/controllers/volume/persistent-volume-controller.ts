import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { isEqual } from "@tsbuilder/apimachinery/patch";
import { compareQuantities } from "@tsbuilder/apimachinery/quantity";
import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
  type Pod,
  pods,
  type StorageClass,
  storageClasses,
} from "../api/core.ts";
import { type Controller, type ControllerContext, userOf } from "../controller.ts";
import { findByKey, keyOf } from "../keys.ts";
import { claimProtection, claimsOfPod, isInUse, volumeProtection } from "./protection.ts";
import { chooseVolume, isReservedFor } from "./choose-volume.ts";
import {
  claimReference,
  defaultClass,
  defaultClassAnnotation,
  newVolume,
  provisioner,
  standardClass,
} from "./provision.ts";

const user = userOf("persistent-volume-binder");

/** Binds claims to volumes, makes volumes for claims of its own storage class, grows and reclaims them. */
export function persistentVolumeController({ objects }: ControllerContext): Controller {
  return {
    name: "persistentvolume",
    watches: [persistentVolumeClaims, persistentVolumes, storageClasses, pods],
    startKeys: ["class"],

    /** A new volume or class may be what any waiting claim waits for. */
    keysOf({ resource, object }) {
      if (resource === pods) return claimsOfPod(object as Pod).map((key) => `claim${key}`);
      if (resource === persistentVolumeClaims) return [`claim${keyOf(object)}`, ...volumeKeyOf(object)];
      const waiting = objects.list(persistentVolumeClaims).filter(({ spec }) => !spec.volumeName);
      const claims = waiting.map((claim) => `claim${keyOf(claim)}`);
      return resource === persistentVolumes ? [`volume${keyOf(object)}`, ...claims] : claims;
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
    const claim = await withClass(found);
    const volume = chooseVolume(claim, objects.list(persistentVolumes)) ?? (await provision(claim));
    if (volume) await bind(claim, await grow(volume, claim));
    else await writePhase(claim, { phase: "Pending" });
  }

  /** A claim that names no class gets the default one, also when that comes later. */
  async function withClass(claim: PersistentVolumeClaim): Promise<PersistentVolumeClaim> {
    if (claim.spec.storageClassName !== undefined || claim.spec.volumeName) return claim;
    const preferred = objects
      .list(storageClasses)
      .find(({ metadata }) => metadata.annotations?.[defaultClassAnnotation] === "true");
    if (!preferred) return claim;
    const spec = { ...claim.spec, storageClassName: preferred.metadata.name! };
    return objects.update(user, { ...claim, spec });
  }

  async function provision(claim: PersistentVolumeClaim): Promise<PersistentVolume | undefined> {
    const storageClass = classOf(claim);
    if (storageClass?.provisioner !== provisioner) return undefined;
    return objects.create(user, newVolume(claim, storageClass));
  }

  /** A claim may ask for more later; a volume of this controller then grows at once. */
  async function grow(volume: PersistentVolume, claim: PersistentVolumeClaim): Promise<PersistentVolume> {
    const wanted = claim.spec.resources?.requests?.storage ?? 0;
    const enough = compareQuantities(volume.spec.capacity?.storage ?? 0, wanted) >= 0;
    if (enough || !classOf(claim)?.allowVolumeExpansion) return volume;
    const capacity = { ...volume.spec.capacity, storage: wanted };
    return objects.update(user, { ...volume, spec: { ...volume.spec, capacity } });
  }

  async function bind(claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<void> {
    if (!isReservedFor(volume, claim) || volume.spec.claimRef?.uid !== claim.metadata.uid) {
      const spec = { ...volume.spec, claimRef: claimReference(claim) };
      await objects.update(user, { ...volume, spec });
    }
    const bound = claim.spec.volumeName ? claim : await nameVolume(claim, volume);
    const { accessModes, capacity } = volume.spec;
    await writePhase(bound, {
      phase: "Bound",
      ...(accessModes ? { accessModes } : {}),
      ...(capacity ? { capacity } : {}),
    });
  }

  function nameVolume(
    claim: PersistentVolumeClaim,
    volume: PersistentVolume,
  ): Promise<PersistentVolumeClaim> {
    const annotations = {
      ...claim.metadata.annotations,
      "pv.kubernetes.io/bind-completed": "yes",
      "pv.kubernetes.io/bound-by-controller": "yes",
    };
    return objects.update(user, {
      ...claim,
      metadata: { ...claim.metadata, annotations },
      spec: { ...claim.spec, volumeName: volume.metadata.name! },
    });
  }

  async function writePhase(
    claim: PersistentVolumeClaim,
    state: NonNullable<PersistentVolumeClaim["status"]>,
  ): Promise<void> {
    const status = { ...claim.status, ...state };
    if (!isEqual(status, claim.status)) await objects.update(user, { ...claim, status }, "status");
  }

  /** Takes the finalizer off that keeps an object while it is in use. */
  async function release(object: KubernetesObject, finalizer: string): Promise<void> {
    const finalizers = object.metadata.finalizers ?? [];
    if (!finalizers.includes(finalizer)) return;
    const others = finalizers.filter((name) => name !== finalizer);
    await objects.update(user, { ...object, metadata: { ...object.metadata, finalizers: others } });
  }

  /** When its claim is gone a volume goes too, or is released and kept, as it says. */
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

  function classOf({ spec }: PersistentVolumeClaim): StorageClass | undefined {
    return spec.storageClassName ? objects.get(storageClasses, undefined, spec.storageClassName) : undefined;
  }
}
