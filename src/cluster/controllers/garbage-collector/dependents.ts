import type { ObjectEvent } from "../../contract/cluster-objects.ts";
import { type ObjectKey, objectKey } from "./object-key.ts";

/** Indexes dependents by the uid of their owner. Updated by every event. */
export class Dependents {
  readonly #byOwner = new Map<string, Set<ObjectKey>>();
  readonly #owners = new Map<ObjectKey, readonly string[]>();

  /** Updates the index by an event. */
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

  /** The keys of an owner's dependents. */
  of(uid: string): readonly ObjectKey[] {
    return [...(this.#byOwner.get(uid) ?? [])];
  }

  #forget(uid: string, key: ObjectKey): void {
    const dependents = this.#byOwner.get(uid);
    dependents?.delete(key);
    if (dependents?.size === 0) this.#byOwner.delete(uid);
  }
}
