import { isEqual } from "@tsbuilder/apimachinery/json";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { compareQuantities } from "@tsbuilder/apimachinery/quantity";
import { matchesLabelSelector } from "@tsbuilder/apimachinery/selector";
import {
  type PersistentVolume as Volume,
  type PersistentVolumeClaim as Claim,
  type Pod,
  type StorageClass,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  storageClasses,
  volumeAttributesClasses,
} from "../../../control-loop/api/core.ts";
import { type Controller, type ControllerContext, userOf } from "../../../control-loop/controller.ts";
import { findByKey, keyOf } from "../../../control-loop/keys.ts";
import { withoutDelay } from "../../../control-loop/pace.ts";
import { isFinished } from "../../../control-loop/pods/pod-state.ts";
import { reporting } from "../../../control-loop/record-event.ts";

const user = userOf("persistent-volume-binder");

/**
 * The finalizers that keep a claim while a pod uses it, a volume while a claim is bound to it, and a VolumeAttributesClass
 * while a claim or a volume names it.
 */
const protectionFinalizers = {
  claim: "kubernetes.io/pvc-protection",
  volume: "kubernetes.io/pv-protection",
  attributes: "kubernetes.io/vac-protection",
};

/** The folder of nodes that holds the volumes of the cluster's own StorageClass. */
export const volumesFolder = "/var/lib/tsbuilder/volumes";

/** The name of the StorageClass that the cluster creates. */
const defaultClass = "standard";

/** Binds claims to volumes; provisions, expands and reclaims volumes of its own StorageClass. */
export function persistentVolumeController(context: ControllerContext): Controller {
  const { objects, clock, pace = withoutDelay } = context;
  const bindClaim = claimBinder(context);
  return {
    watches: [persistentVolumeClaims, persistentVolumes, storageClasses, volumeAttributesClasses, pods],
    startKeys: ["class"],

    /** Keys begin with the type of the object that they name. Any pending claim may be waiting for a changed volume or class. */
    keysOf({ resource, object }) {
      if (resource === pods) return claimsOfPod(object as Pod).map((key) => `claim${key}`);
      if (resource === volumeAttributesClasses) return [`attributes${object.metadata.name}`];
      if (resource === persistentVolumeClaims) {
        const claim = object as Claim;
        return [`claim${keyOf(claim)}`, ...volumeKeysOf(claim), ...attributesClassKeys(claim)];
      }
      const waiting = objects.list(persistentVolumeClaims).filter(({ spec }) => !spec.volumeName);
      const claims = waiting.map((claim) => `claim${keyOf(claim)}`);
      if (resource !== persistentVolumes) return claims;
      const { claimRef } = (object as Volume).spec;
      const bound = claimRef ? [`claim${claimRef.namespace}/${claimRef.name}`] : [];
      const attributes = attributesClassKeys(object as Volume);
      return [`volume${keyOf(object)}`, ...bound, ...claims, ...attributes];
    },

    async reconcile(key) {
      if (key === "class") await ensureClass();
      else if (key.startsWith("attributes")) await settleAttributes(key.slice("attributes".length));
      else if (key.startsWith("claim")) return settleClaim(key.slice("claim".length));
      else await settleVolume(key.slice("volume".length));
      return undefined;
    },
  };

  function volumeKeysOf({ metadata }: Claim): string[] {
    return objects
      .list(persistentVolumes)
      .filter(({ spec }) => spec.claimRef?.uid === metadata.uid)
      .map((volume) => `volume${keyOf(volume)}`);
  }

  /** Lets a deleted VolumeAttributesClass go once no claim and no volume names it any more. */
  async function settleAttributes(name: string): Promise<void> {
    const found = objects.get(volumeAttributesClasses, undefined, name);
    if (!found?.metadata.deletionTimestamp) return;
    const users = [...objects.list(persistentVolumeClaims), ...objects.list(persistentVolumes)];
    if (users.some((each) => attributesClassNames(each).includes(name))) return;
    await release(found, protectionFinalizers.attributes);
  }

  async function ensureClass(): Promise<void> {
    if (!objects.get(storageClasses, undefined, defaultClass)) await objects.create(user, newStandardClass());
  }

  async function settleClaim(key: string): Promise<number | undefined> {
    const found = findByKey(objects, persistentVolumeClaims, key);
    if (!found) return undefined;
    const { namespace, creationTimestamp, deletionTimestamp } = found.metadata;
    if (deletionTimestamp) {
      if (!isInUse(found, objects.list(pods, namespace))) await release(found, protectionFinalizers.claim);
      return undefined;
    }
    const left = Date.parse(creationTimestamp!) + pace("bind", found) - clock.now();
    if (left > 0) return left;
    await bindClaim(found);
    return undefined;
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
    const isReleased = claimRef?.uid !== undefined && !bound;
    if (volume.metadata.deletionTimestamp && !bound) {
      await release(volume, protectionFinalizers.volume);
      return;
    }
    if (isReleased && persistentVolumeReclaimPolicy === "Delete") {
      if (!volume.metadata.deletionTimestamp)
        await objects.delete(user, volume, { uid: volume.metadata.uid });
      return;
    }
    const phase = bound ? "Bound" : isReleased ? "Released" : "Available";
    if (volume.status?.phase === phase) return;
    await objects.update(user, { ...volume, status: { ...volume.status, phase } }, "status");
  }
}

/** The annotation with the node that the scheduler selected for a claim's volume. */
export const selectedNodeAnnotation = "volume.kubernetes.io/selected-node";

function attributesClassKeys(user: Volume | Claim): string[] {
  return attributesClassNames(user).map((name) => `attributes${name}`);
}

const bindCompletedAnnotation = "pv.kubernetes.io/bind-completed";

const provisionerAnnotations = [
  "volume.beta.kubernetes.io/storage-provisioner",
  "volume.kubernetes.io/storage-provisioner",
];

/** The provisioner of the default class: this controller. */
const provisioner = "tsbuilder.dev/pretended";

/** The annotation that makes a class the default. */
const defaultClassAnnotation = "storageclass.kubernetes.io/is-default-class";

/** The annotation of volumes and claims that the controller bound by its own choice. */
const boundByControllerAnnotation = "pv.kubernetes.io/bound-by-controller";

/** Creates the function that binds a claim to a volume, or reports what it waits for. */
function claimBinder(context: ControllerContext): (claim: Claim) => Promise<void> {
  const { objects } = context;
  const { report } = reporting(context, user, "persistentvolume-controller");

  return async (found) => {
    const claim = await withClass(found);
    const storageClass = classOf(claim);
    const volumes = objects.list(persistentVolumes);
    const isDelayed = !claim.spec.volumeName && waitsForConsumer(storageClass);
    const candidates = isDelayed ? volumes.filter((volume) => isReservedFor(volume, claim)) : volumes;
    const volume = chooseVolume(claim, candidates);
    if (volume) await bind(claim, await grow(volume, claim));
    else if (isLost(claim)) await lose(claim);
    else await wait(claim, storageClass, isDelayed && !claim.metadata.annotations?.[selectedNodeAnnotation]);
  };

  async function wait(
    claim: Claim,
    storageClass: StorageClass | undefined,
    forConsumer: boolean,
  ): Promise<void> {
    const pending = await writeStatus(claim, { phase: "Pending" });
    if (forConsumer) return reportConsumer(pending);
    const { storageClassName } = claim.spec;
    if (!storageClassName) {
      const why = "no persistent volumes available for this claim and no storage class is set";
      return report(pending, "Normal", "FailedBinding", why);
    }
    if (!storageClass) {
      const why = `storageclass.storage.k8s.io "${storageClassName}" not found`;
      return report(pending, "Warning", "ProvisioningFailed", why);
    }
    if (storageClass.provisioner !== provisioner) return askProvisioner(pending, storageClass.provisioner);
    await bind(pending, await objects.create(user, newVolume(pending, storageClass)));
  }

  function reportConsumer(claim: Claim): Promise<void> {
    const consumers = objects
      .list(pods, claim.metadata.namespace)
      .filter((pod) => !pod.spec.nodeName && claimsOfPod(pod).includes(keyOf(claim)))
      .map(({ metadata }) => metadata.name!);
    if (consumers.length === 0) {
      const why = "waiting for first consumer to be created before binding";
      return report(claim, "Normal", "WaitForFirstConsumer", why);
    }
    const why = `waiting for pod ${consumers.join(",")} to be scheduled`;
    return report(claim, "Normal", "WaitForPodScheduled", why);
  }

  /** Requests a volume from an external provisioner by annotations of the claim. */
  async function askProvisioner(claim: Claim, name: string): Promise<void> {
    const provisioners = Object.fromEntries(provisionerAnnotations.map((key) => [key, name]));
    const annotations = { ...claim.metadata.annotations, ...provisioners };
    const isAnnotated = isEqual(annotations, claim.metadata.annotations);
    const annotated = isAnnotated
      ? claim
      : await objects.update(user, { ...claim, metadata: { ...claim.metadata, annotations } });
    const why = `Waiting for a volume to be created either by the external provisioner '${name}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`;
    await report(annotated, "Normal", "ExternalProvisioning", why);
  }

  /** Expands a volume whose claim asks for more, if the class allows it. */
  async function grow(volume: Volume, claim: Claim): Promise<Volume> {
    const wanted = claim.spec.resources?.requests?.storage ?? 0;
    const isLargeEnough = compareQuantities(volume.spec.capacity?.storage ?? 0, wanted) >= 0;
    if (isLargeEnough || !classOf(claim)?.allowVolumeExpansion) return volume;
    const capacity = { ...volume.spec.capacity, storage: wanted };
    return objects.update(user, { ...volume, spec: { ...volume.spec, capacity } });
  }

  async function bind(claim: Claim, volume: Volume): Promise<void> {
    if (volume.spec.claimRef?.uid !== claim.metadata.uid)
      await objects.update(user, reserveVolume(volume, claim));
    const bound = await nameVolume(claim, volume);
    const { accessModes, capacity } = volume.spec;
    await writeStatus(bound, {
      phase: "Bound",
      ...(accessModes ? { accessModes } : {}),
      ...(capacity ? { capacity } : {}),
    });
  }

  /** Sets volumeName of a claim and annotates whether the controller chose the volume. */
  async function nameVolume(claim: Claim, volume: Volume): Promise<Claim> {
    if (claim.metadata.annotations?.[bindCompletedAnnotation]) return claim;
    const annotations = {
      ...claim.metadata.annotations,
      [bindCompletedAnnotation]: "yes",
      ...(claim.spec.volumeName ? {} : { [boundByControllerAnnotation]: "yes" }),
    };
    return objects.update(user, {
      ...claim,
      metadata: { ...claim.metadata, annotations },
      spec: { ...claim.spec, volumeName: volume.metadata.name! },
    });
  }

  async function lose(claim: Claim): Promise<void> {
    if (claim.status?.phase === "Lost") return;
    const why = "Bound claim has lost its PersistentVolume. Data on the volume is lost!";
    await report(claim, "Warning", "ClaimLost", why);
    await objects.update(user, { ...claim, status: { phase: "Lost" } }, "status");
  }

  async function writeStatus(claim: Claim, state: NonNullable<Claim["status"]>): Promise<Claim> {
    const status = { ...claim.status, ...state };
    return isEqual(status, claim.status) ? claim : objects.update(user, { ...claim, status }, "status");
  }

  function classOf({ spec }: Claim): StorageClass | undefined {
    return spec.storageClassName ? objects.get(storageClasses, undefined, spec.storageClassName) : undefined;
  }

  /** A claim without a class gets the default one, even if that is created later. */
  async function withClass(claim: Claim): Promise<Claim> {
    if (claim.spec.storageClassName !== undefined || claim.spec.volumeName) return claim;
    const preferred = objects
      .list(storageClasses)
      .find(({ metadata }) => metadata.annotations?.[defaultClassAnnotation] === "true");
    if (!preferred) return claim;
    const spec = { ...claim.spec, storageClassName: preferred.metadata.name! };
    return objects.update(user, { ...claim, spec });
  }
}

/** Returns whether claims of a class get their volume only when a pod that uses them is scheduled. */
export function waitsForConsumer(storageClass: StorageClass | undefined): boolean {
  return storageClass?.volumeBindingMode === "WaitForFirstConsumer";
}

/** Reserves a volume for a claim; one that already had a claimRef was not the controller's choice. */
export function reserveVolume(volume: Volume, claim: Claim): Volume {
  const annotations = { ...volume.metadata.annotations, [boundByControllerAnnotation]: "yes" };
  return {
    ...volume,
    ...(volume.spec.claimRef ? {} : { metadata: { ...volume.metadata, annotations } }),
    spec: { ...volume.spec, claimRef: claimReference(claim) },
  };
}

function isLost({ metadata, spec }: Claim): boolean {
  return spec.volumeName !== undefined && metadata.annotations?.[bindCompletedAnnotation] !== undefined;
}

/**
 * Finds the smallest free volume that satisfies a claim; one that is reserved for the claim takes precedence.
 */
export function chooseVolume(claim: Claim, volumes: readonly Volume[]): Volume | undefined {
  const reserved = volumes.find((volume) => isReservedFor(volume, claim));
  if (reserved || claim.spec.volumeName)
    return reserved ?? volumes.find(({ metadata }) => metadata.name === claim.spec.volumeName);
  const [smallest] = volumes
    .filter(
      (volume) =>
        !volume.spec.claimRef && !volume.metadata.deletionTimestamp && satisfiesClaim(volume, claim),
    )
    .sort((a, b) => compareQuantities(capacityOf(a), capacityOf(b)));
  return smallest;
}

/** Returns whether a volume is bound to a claim, or reserved for it by name. */
function isReservedFor({ spec }: Volume, { metadata }: Claim): boolean {
  const reference = spec.claimRef;
  return (
    reference?.name === metadata.name &&
    reference?.namespace === metadata.namespace &&
    (reference?.uid === undefined || reference.uid === metadata.uid)
  );
}

function satisfiesClaim(volume: Volume, { spec }: Claim): boolean {
  const modes = volume.spec.accessModes ?? [];
  return (
    (volume.spec.storageClassName ?? "") === (spec.storageClassName ?? "") &&
    (volume.spec.volumeMode ?? "Filesystem") === (spec.volumeMode ?? "Filesystem") &&
    (spec.accessModes ?? []).every((mode) => modes.includes(mode)) &&
    (!spec.selector || matchesLabelSelector(spec.selector, volume.metadata.labels)) &&
    compareQuantities(capacityOf(volume), spec.resources?.requests?.storage ?? 0) >= 0
  );
}

function capacityOf({ spec }: Volume): string | number {
  return spec.capacity?.storage ?? 0;
}

/** The names of the VolumeAttributesClasses that a claim or a volume has, or is to get. */
function attributesClassNames({ spec, status }: Volume | Claim): string[] {
  const { currentVolumeAttributesClassName, modifyVolumeStatus } = (status ?? {}) as NonNullable<
    Claim["status"]
  >;
  const names = [
    spec.volumeAttributesClassName,
    currentVolumeAttributesClassName,
    modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return names.filter((name) => name !== undefined);
}

/** The keys of the claims that a pod uses. */
export function claimsOfPod({ metadata, spec }: Pod): string[] {
  return (spec.volumes ?? []).flatMap(({ persistentVolumeClaim }) =>
    persistentVolumeClaim ? [`${metadata.namespace}/${persistentVolumeClaim.claimName}`] : [],
  );
}

/** Returns whether a claim is used by a pod that has a node and has not finished. */
function isInUse({ metadata }: Claim, pods: readonly Pod[]): boolean {
  const key = `${metadata.namespace}/${metadata.name}`;
  return pods.some((pod) => pod.spec.nodeName && !isFinished(pod) && claimsOfPod(pod).includes(key));
}

/** The default StorageClass: its volumes are provisioned immediately, can be expanded, and store nothing. */
function newStandardClass(): StorageClass {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: defaultClass, annotations: { [defaultClassAnnotation]: "true" } },
    provisioner,
    reclaimPolicy: "Delete",
    volumeBindingMode: "Immediate",
    allowVolumeExpansion: true,
  };
}

function newVolume(claim: Claim, storageClass: StorageClass): Volume {
  const { accessModes, volumeMode, resources } = claim.spec;
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: {
      name: `pvc-${claim.metadata.uid}`,
      annotations: { "pv.kubernetes.io/provisioned-by": storageClass.provisioner },
    },
    spec: {
      capacity: { storage: resources?.requests?.storage ?? "0" },
      accessModes: accessModes ?? [],
      ...(volumeMode ? { volumeMode } : {}),
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? "Delete",
      storageClassName: storageClass.metadata.name!,
      claimRef: claimReference(claim),
      hostPath: { path: `${volumesFolder}/${claim.metadata.uid}` },
    },
  };
}

function claimReference({ metadata }: Claim): NonNullable<Volume["spec"]["claimRef"]> {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    namespace: metadata.namespace!,
    name: metadata.name!,
    uid: metadata.uid!,
    resourceVersion: metadata.resourceVersion!,
  };
}
