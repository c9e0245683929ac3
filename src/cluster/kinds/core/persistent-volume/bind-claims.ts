import { isEqual } from "@tsbuilder/apimachinery/json";
import { compareQuantities } from "@tsbuilder/apimachinery/quantity";
import { matchesLabelSelector } from "@tsbuilder/apimachinery/selector";
import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  type StorageClass,
  persistentVolumes,
  pods,
  storageClasses,
} from "../../../control-loop/api/core.ts";
import { type ControllerContext, userOf } from "../../../control-loop/controller.ts";
import { keyOf } from "../../../control-loop/keys.ts";
import { type ReportingContext, reporting } from "../../../control-loop/record-event.ts";
import { isFinished } from "../../../control-loop/pods/pod-state.ts";

const user = userOf("persistent-volume-binder");

const bindCompleted = "pv.kubernetes.io/bind-completed";

const provisionerAnnotations = [
  "volume.beta.kubernetes.io/storage-provisioner",
  "volume.kubernetes.io/storage-provisioner",
];

/** Creates the function that binds a claim to a volume, or reports what it waits for. */
export function claimBinder(context: ControllerContext): (claim: PersistentVolumeClaim) => Promise<void> {
  const { objects } = context;
  const steps = reporting(context, user, "persistentvolume-controller");

  return async (found) => {
    const claim = await withClass(steps, found);
    const storageClass = classOf(steps, claim);
    const volumes = objects.list(persistentVolumes);
    const isDelayed = !claim.spec.volumeName && waitsForConsumer(storageClass);
    const candidates = isDelayed ? volumes.filter((volume) => isReservedFor(volume, claim)) : volumes;
    const volume = chooseVolume(claim, candidates);
    if (volume) await bind(steps, claim, await grow(steps, volume, claim));
    else if (isLost(claim)) await lose(steps, claim);
    else await wait(steps, claim, storageClass, isDelayed && !claim.metadata.annotations?.[selectedNode]);
  };
}

/** Returns whether claims of a class get their volume only when a pod that uses them is scheduled. */
export function waitsForConsumer(storageClass: StorageClass | undefined): boolean {
  return storageClass?.volumeBindingMode === "WaitForFirstConsumer";
}

async function wait(
  context: ReportingContext,
  claim: PersistentVolumeClaim,
  storageClass: StorageClass | undefined,
  forConsumer: boolean,
): Promise<void> {
  const { objects, report } = context;
  const pending = await writeStatus(context, claim, { phase: "Pending" });
  if (forConsumer) return reportConsumer(context, pending);
  const { storageClassName } = claim.spec;
  if (!storageClassName) {
    const why = "no persistent volumes available for this claim and no storage class is set";
    return report(pending, "Normal", "FailedBinding", why);
  }
  if (!storageClass) {
    const why = `storageclass.storage.k8s.io "${storageClassName}" not found`;
    return report(pending, "Warning", "ProvisioningFailed", why);
  }
  if (storageClass.provisioner !== provisioner)
    return askProvisioner(context, pending, storageClass.provisioner);
  await bind(context, pending, await objects.create(user, newVolume(pending, storageClass)));
}

function reportConsumer(context: ReportingContext, claim: PersistentVolumeClaim): Promise<void> {
  const { objects, report } = context;
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

/** An external provisioner is requested by annotation. */
async function askProvisioner(
  context: ReportingContext,
  claim: PersistentVolumeClaim,
  name: string,
): Promise<void> {
  const { objects, report } = context;
  const asked = Object.fromEntries(provisionerAnnotations.map((key) => [key, name]));
  const annotations = { ...claim.metadata.annotations, ...asked };
  const known = isEqual(annotations, claim.metadata.annotations);
  const annotated = known
    ? claim
    : await objects.update(user, { ...claim, metadata: { ...claim.metadata, annotations } });
  const why = `Waiting for a volume to be created either by the external provisioner '${name}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`;
  await report(annotated, "Normal", "ExternalProvisioning", why);
}

/** A claim may be expanded later; its volume is then expanded immediately. */
async function grow(
  context: ReportingContext,
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
): Promise<PersistentVolume> {
  const { objects } = context;
  const wanted = claim.spec.resources?.requests?.storage ?? 0;
  const enough = compareQuantities(volume.spec.capacity?.storage ?? 0, wanted) >= 0;
  if (enough || !classOf(context, claim)?.allowVolumeExpansion) return volume;
  const capacity = { ...volume.spec.capacity, storage: wanted };
  return objects.update(user, { ...volume, spec: { ...volume.spec, capacity } });
}

async function bind(
  context: ReportingContext,
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
): Promise<void> {
  const { objects } = context;
  if (volume.spec.claimRef?.uid !== claim.metadata.uid) {
    await objects.update(user, reserved(volume, claim));
  }
  const bound = await nameVolume(context, claim, volume);
  const { accessModes, capacity } = volume.spec;
  await writeStatus(context, bound, {
    phase: "Bound",
    ...(accessModes ? { accessModes } : {}),
    ...(capacity ? { capacity } : {}),
  });
}

/** Sets volumeName of a claim and annotates whether the controller chose the volume. */
async function nameVolume(
  context: ReportingContext,
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
): Promise<PersistentVolumeClaim> {
  const { objects } = context;
  if (claim.metadata.annotations?.[bindCompleted]) return claim;
  const annotations = {
    ...claim.metadata.annotations,
    [bindCompleted]: "yes",
    ...(claim.spec.volumeName ? {} : { [boundByController]: "yes" }),
  };
  return objects.update(user, {
    ...claim,
    metadata: { ...claim.metadata, annotations },
    spec: { ...claim.spec, volumeName: volume.metadata.name! },
  });
}

async function lose(context: ReportingContext, claim: PersistentVolumeClaim): Promise<void> {
  const { objects, report } = context;
  if (claim.status?.phase === "Lost") return;
  const why = "Bound claim has lost its PersistentVolume. Data on the volume is lost!";
  await report(claim, "Warning", "ClaimLost", why);
  await objects.update(user, { ...claim, status: { phase: "Lost" } }, "status");
}

async function writeStatus(
  context: ReportingContext,
  claim: PersistentVolumeClaim,
  state: NonNullable<PersistentVolumeClaim["status"]>,
): Promise<PersistentVolumeClaim> {
  const { objects } = context;
  const status = { ...claim.status, ...state };
  return isEqual(status, claim.status) ? claim : objects.update(user, { ...claim, status }, "status");
}

function classOf(context: ReportingContext, { spec }: PersistentVolumeClaim): StorageClass | undefined {
  const { objects } = context;
  return spec.storageClassName ? objects.get(storageClasses, undefined, spec.storageClassName) : undefined;
}

/** Reserves a volume for a claim; one that already had a claimRef was not the controller's choice. */
export function reserved(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume {
  const annotations = { ...volume.metadata.annotations, [boundByController]: "yes" };
  return {
    ...volume,
    ...(volume.spec.claimRef ? {} : { metadata: { ...volume.metadata, annotations } }),
    spec: { ...volume.spec, claimRef: claimReference(claim) },
  };
}

function isLost({ metadata, spec }: PersistentVolumeClaim): boolean {
  return spec.volumeName !== undefined && metadata.annotations?.[bindCompleted] !== undefined;
}

/**
 * Finds the smallest free volume that satisfies a claim; one that is reserved for the claim takes precedence.
 */
export function chooseVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
): PersistentVolume | undefined {
  const reserved = volumes.find((volume) => isReservedFor(volume, claim));
  if (reserved || claim.spec.volumeName) {
    return reserved ?? volumes.find(({ metadata }) => metadata.name === claim.spec.volumeName);
  }
  const [smallest] = volumes
    .filter((volume) => !volume.spec.claimRef && !volume.metadata.deletionTimestamp && fits(volume, claim))
    .sort((a, b) => compareQuantities(capacityOf(a), capacityOf(b)));
  return smallest;
}

/** Returns whether a volume is bound to a claim, or reserved for it by name. */
function isReservedFor({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const reference = spec.claimRef;
  return (
    reference?.name === metadata.name &&
    reference?.namespace === metadata.namespace &&
    (reference?.uid === undefined || reference.uid === metadata.uid)
  );
}

function fits(volume: PersistentVolume, { spec }: PersistentVolumeClaim): boolean {
  const modes = volume.spec.accessModes ?? [];
  return (
    (volume.spec.storageClassName ?? "") === (spec.storageClassName ?? "") &&
    (volume.spec.volumeMode ?? "Filesystem") === (spec.volumeMode ?? "Filesystem") &&
    (spec.accessModes ?? []).every((mode) => modes.includes(mode)) &&
    (!spec.selector || matchesLabelSelector(spec.selector, volume.metadata.labels)) &&
    compareQuantities(capacityOf(volume), spec.resources?.requests?.storage ?? 0) >= 0
  );
}

function capacityOf({ spec }: PersistentVolume): string | number {
  return spec.capacity?.storage ?? 0;
}

/** A claim without a class gets the default one, even if that is created later. */
async function withClass(
  context: ReportingContext,
  claim: PersistentVolumeClaim,
): Promise<PersistentVolumeClaim> {
  const { objects } = context;
  if (claim.spec.storageClassName !== undefined || claim.spec.volumeName) return claim;
  const preferred = objects
    .list(storageClasses)
    .find(({ metadata }) => metadata.annotations?.[defaultClassAnnotation] === "true");
  if (!preferred) return claim;
  const spec = { ...claim.spec, storageClassName: preferred.metadata.name! };
  return objects.update(user, { ...claim, spec });
}

/** The finalizer that keeps a claim while a pod uses it. */
export const claimProtection = "kubernetes.io/pvc-protection";

/** The finalizer that keeps a volume while a claim is bound to it. */
export const volumeProtection = "kubernetes.io/pv-protection";

/** The finalizer that keeps a VolumeAttributesClass while a claim or a volume names it. */
export const attributesProtection = "kubernetes.io/vac-protection";

/** The names of the VolumeAttributesClasses that a claim or a volume has, or is to get. */
export function attributesClassesOf({ spec, status }: PersistentVolume | PersistentVolumeClaim): string[] {
  const { currentVolumeAttributesClassName, modifyVolumeStatus } = (status ?? {}) as NonNullable<
    PersistentVolumeClaim["status"]
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
export function isInUse({ metadata }: PersistentVolumeClaim, pods: readonly Pod[]): boolean {
  const key = `${metadata.namespace}/${metadata.name}`;
  return pods.some((pod) => pod.spec.nodeName && !isFinished(pod) && claimsOfPod(pod).includes(key));
}

/** The name of the StorageClass that the cluster creates. */
export const defaultClass = "standard";

/** The provisioner of that class: this controller. */
const provisioner = "tsbuilder.dev/pretended";

/** The annotation that makes a class the default. */
const defaultClassAnnotation = "storageclass.kubernetes.io/is-default-class";

/** The annotation of volumes and claims that the controller bound by its own choice. */
const boundByController = "pv.kubernetes.io/bound-by-controller";

/** The annotation with the node that the scheduler selected for a claim's volume. */
export const selectedNode = "volume.kubernetes.io/selected-node";

/** The default StorageClass: its volumes are provisioned immediately, can be expanded, and store nothing. */
export function standardClass(): StorageClass {
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

/** Builds the volume for a claim. */
function newVolume(claim: PersistentVolumeClaim, storageClass: StorageClass): PersistentVolume {
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
      hostPath: { path: `/var/lib/tsbuilder/volumes/${claim.metadata.uid}` },
    },
  };
}

/** Refers to a claim from its volume. */
function claimReference({
  metadata,
}: PersistentVolumeClaim): NonNullable<PersistentVolume["spec"]["claimRef"]> {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    namespace: metadata.namespace!,
    name: metadata.name!,
    uid: metadata.uid!,
    resourceVersion: metadata.resourceVersion!,
  };
}
