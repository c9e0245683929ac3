import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { compareResourceVersions } from "./compare-resource-versions.ts";
import type { Entry } from "./object-store.ts";

/** A write of this process that the watch has not delivered yet. */
export interface PendingWrite<T extends KubernetesObject> {
  /** The object as subscribers know it. */
  seen: Entry<T> | undefined;
  /** Objects that this process made, and that reads showed, of which subscribers don't know. */
  unseen: readonly Entry<T>[];
  readonly isDeletion: boolean;
  /** The version of the write; of a deletion, whose version is unknown, that of what it deleted. */
  readonly version: string | undefined;
  readonly uid: string | undefined;
  readonly at: number;
}

/** Whether the watch has caught up with the write, which is then no longer tracked. */
export function isSettled<T extends KubernetesObject>(
  write: PendingWrite<T>,
  next: Entry<T> | undefined,
  version: string | undefined,
): boolean {
  if (write.isDeletion && next?.object.metadata.uid === write.uid) return false;
  if (write.isDeletion && !isComparable(write.version)) return true;
  if (write.version === undefined) return false;
  return version !== undefined && (compareResourceVersions(version, write.version) ?? -1) >= 0;
}

/** Whether a version says when the watch has passed it. */
export function isComparable(version: string | undefined): version is string {
  return version !== undefined && /^\d+$/.test(version);
}
