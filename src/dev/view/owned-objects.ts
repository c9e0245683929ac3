import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { compareText } from "@tsbuilder/apimachinery/text";
import { type LineKeeper, type RecordLine } from "../record/record-line.ts";
import { placeName } from "../record/recorded.ts";
import { type Standing, standingOf } from "./standing.ts";

/** An object that another one owns. */
export interface OwnedObject {
  readonly kind: string;
  readonly key: string;
  readonly standing: Standing;
  /** The distance from the object that was asked about; its own dependents have 1. */
  readonly depth: number;
}

interface Node extends Omit<OwnedObject, "depth"> {
  readonly uid: string;
  readonly owner: string;
}

/** What the API server derives from other objects, and nobody asks about. */
export const derivedKinds: ReadonlySet<string> = new Set(["EndpointSlice", "ControllerRevision"]);

/** The dependents of objects, from the writes of a session. A cluster of somebody else tells of no writes, and has none here. */
export class OwnedObjects implements LineKeeper {
  readonly #byPlace = new Map<string, Node>();
  readonly #byOwner = new Map<string, Map<string, Node>>();
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  add({ write }: RecordLine): void {
    if (write === undefined) return;
    const place = placeName(write);
    // Most objects of a cluster have no owner, and are not parsed.
    const isOwned = write.type !== "DELETED" && write.bytes.includes('"ownerReferences"');
    const before = this.#byPlace.get(place);
    if (before === undefined && !isOwned) return;
    if (before !== undefined) this.#byOwner.get(before.owner)?.delete(place);
    if (before !== undefined && this.#byOwner.get(before.owner)?.size === 0)
      this.#byOwner.delete(before.owner);
    this.#byPlace.delete(place);
    const node = isOwned
      ? nodeOf(write.key, JSON.parse(write.bytes.toString()) as KubernetesObject)
      : undefined;
    if (node !== undefined) {
      this.#byPlace.set(place, node);
      const siblings = this.#byOwner.get(node.owner) ?? new Map<string, Node>();
      this.#byOwner.set(node.owner, siblings.set(place, node));
    }
    this.#onChange();
  }

  /** Returns the dependents of an object, each with its own below it. */
  below(uid: string, depth = 1): OwnedObject[] {
    // A cycle of owners is possible: nobody checks them.
    if (depth > 5) return [];
    const dependents = [...(this.#byOwner.get(uid)?.values() ?? [])];
    dependents.sort((a, b) => compareText(a.kind, b.kind) || compareText(a.key, b.key));
    return dependents.flatMap((node) => [{ ...node, depth }, ...this.below(node.uid, depth + 1)]);
  }

  open(): void {
    // The first line is that of the session.
  }

  close(): void {
    // What is shown stays.
  }
}

/** Returns an object below its controller, else below its first owner. */
function nodeOf(key: string, object: KubernetesObject): Node | undefined {
  const { uid, ownerReferences = [] } = object.metadata;
  const owner = ownerReferences.find(({ controller }) => controller === true) ?? ownerReferences[0];
  if (uid === undefined || owner === undefined || derivedKinds.has(object.kind)) return undefined;
  return { uid, owner: owner.uid, kind: object.kind, key, standing: standingOf(object) };
}
