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
    this.#newer.push({ number: ++this.count, known });
  }

  /** Returns the changes after a number, the oldest first. The state before an object's first change precedes it. */
  *read(after = 0): Generator<TimedChange> {
    const told = new Set<object>();
    for (const { number, known } of [...this.#older, ...this.#newer]) {
      if (number <= after) continue;
      const { at, kind, change, manager } = known;
      const { type, object, oldObject, isOwnWrite = false } = change;
      const resource = kind.group === "" ? kind.plural : `${kind.plural}.${kind.group}`;
      const line = { channel: "tsbuilder:change", at, resource } as const;
      if (oldObject && !told.has(oldObject))
        yield { ...line, change: "before", isOwnWrite: false, manager: undefined, object: oldObject };
      told.add(object);
      yield { ...line, change: type, isOwnWrite, manager, object };
    }
  }
}

/** Secrets never enter a record. Leases are renewed all the time. */
function isKept({ group, kind }: Kind): boolean {
  return !(group === "" && kind === "Secret") && !(group === "coordination.k8s.io" && kind === "Lease");
}
