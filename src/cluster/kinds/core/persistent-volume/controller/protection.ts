import type { PersistentVolume, PersistentVolumeClaim, Pod } from "../../../../control-loop/api/core.ts";
import { isFinished } from "../../../../control-loop/pods/pod-state.ts";

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
