import { compareQuantities } from "@tsbuilder/apimachinery/quantity";
import { matchesLabelSelector } from "@tsbuilder/apimachinery/selector";
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
} from "../../../../control-loop/api/core.ts";

/** Returns whether claims of a class get their volume only when a pod that uses them is scheduled. */
export function waitsForConsumer(storageClass: StorageClass | undefined): boolean {
  return storageClass?.volumeBindingMode === "WaitForFirstConsumer";
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
export function isReservedFor({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
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
