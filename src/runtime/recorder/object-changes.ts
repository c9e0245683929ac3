// The last changes of cached objects. The states are those that the cache has had anyway; their text is made when they are read.

import type { Kind } from "@tsbuilder/apimachinery/meta";
import type { ObjectChange } from "../tracing/channels.ts";
import type { FlightChange } from "./flight-format.ts";

interface Change {
  readonly at: number;
  readonly kind: Kind;
  readonly change: ObjectChange;
  readonly manager: string | undefined;
}

interface KeptChange {
  readonly number: number;
  readonly known: Change;
  isSaved: boolean;
}

/** A change with the time at which the operator learned of it. */
export type TimedChange = FlightChange & { readonly at: number };

/** The bytes on V8's heap for a byte of JSON. */
const heapFactor = 2.5;

/** The bytes of JSON that an object is taken for if its size is unknown. */
const assumedBytes = 1000;

/** Two lists of changes: the older one is dropped when the newer one is full. */
export class ObjectChanges {
  readonly #halfBytes: number;
  #older: KeptChange[] = [];
  #newer: KeptChange[] = [];
  #newerBytes = 0;
  /** The states that were returned by `save`. */
  readonly #saved = new WeakSet<object>();
  /** How many changes there have been. */
  count = 0;

  constructor(bytes: number) {
    this.#halfBytes = bytes / 2;
  }

  add(known: Change, bytes = assumedBytes): void {
    if (!isKept(known.kind)) return;
    // The state before is that of the change before, as a rule.
    this.#newerBytes += bytes * heapFactor;
    if (this.#newerBytes > this.#halfBytes) {
      this.#older = this.#newer;
      this.#newer = [];
      this.#newerBytes = bytes * heapFactor;
    }
    this.#newer.push({ number: ++this.count, known, isSaved: false });
  }

  /**
   * Returns the changes after a number, the oldest first. The state before a change precedes it unless it is in `told`, which gets the
   * states that are returned.
   */
  read(after: number, told: WeakSet<object>): Generator<TimedChange> {
    const kept = [...this.#older, ...this.#newer].filter(({ number }) => number > after);
    return describe(kept, told);
  }

  /** Returns the newest changes that it has not returned before, at most so many, the oldest first. */
  save(limit: number): Generator<TimedChange> {
    const found: KeptChange[] = [];
    for (const list of [this.#newer, this.#older])
      for (let index = list.length - 1; index >= 0 && found.length < limit; index--) {
        const change = list[index]!;
        // Those before a saved one are old: they are left to a call without a limit.
        if (change.isSaved && limit < Infinity) return describe(found.toReversed(), this.#saved);
        if (!change.isSaved) found.push(change);
        change.isSaved = true;
      }
    return describe(found.toReversed(), this.#saved);
  }
}

/** Describes changes. `told` has the states that were described before. */
function* describe(changes: readonly KeptChange[], told: WeakSet<object>): Generator<TimedChange> {
  for (const { at, kind, change, manager } of changes.map(({ known }) => known)) {
    const { type, object, oldObject, isOwnWrite = false } = change;
    const resource = kind.group === "" ? kind.plural : `${kind.plural}.${kind.group}`;
    const line = { channel: "tsbuilder:change", at, resource } as const;
    if (oldObject && !told.has(oldObject))
      yield { ...line, change: "before", isOwnWrite: false, manager: undefined, object: oldObject };
    told.add(object);
    yield { ...line, change: type, isOwnWrite, manager, object };
  }
}

/** Secrets never enter a record. Leases are renewed all the time. */
function isKept({ group, kind }: Kind): boolean {
  return !(group === "" && kind === "Secret") && !(group === "coordination.k8s.io" && kind === "Lease");
}
