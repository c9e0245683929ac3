import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { ownedBy } from "./applied-fields.ts";
import { hashOf } from "./hash.ts";

/** An apply: the object, the field manager, and a hash of the desired object. */
export interface Applied {
  /** The object and the manager. */
  readonly id: string;
  readonly manager: string;
  readonly desired: string;
}

interface Memory {
  readonly desired: string;
  readonly outcome: string;
  readonly owned: string | undefined;
}

/** Remembers applies and their results, so that an apply that would change nothing is not sent. */
export class ApplyMemory {
  readonly #applied = new Map<string, Memory>();
  readonly #capacity: number;

  /** Beyond this many objects, the least recently applied ones are applied once more. */
  constructor(capacity = 50_000) {
    this.#capacity = capacity;
  }

  /**
   * Whether the last apply was the same, and the object is still its result: with the same values and owned fields.
   * Another manager may have taken a field in the meantime without changing its value.
   */
  isCurrent({ id, manager, desired }: Applied, current: KubernetesObject): boolean {
    const last = this.#applied.get(id);
    if (last === undefined || last.desired !== desired) return false;
    return last.outcome === fingerprintOf(current) && last.owned === ownedBy(manager, current);
  }

  remember({ id, manager, desired }: Applied, outcome: KubernetesObject): void {
    this.#applied.delete(id);
    this.#applied.set(id, { desired, outcome: fingerprintOf(outcome), owned: ownedBy(manager, outcome) });
    if (this.#applied.size <= this.#capacity) return;
    const [oldest] = this.#applied.keys();
    this.#applied.delete(oldest!);
  }
}

/** Cached objects are frozen, so a fingerprint holds for as long as the object lives. */
const fingerprints = new WeakMap<KubernetesObject, string>();

/** A text for everything that an apply can set: not the status, and nothing that changes with every write. */
function fingerprintOf(object: KubernetesObject): string {
  const known = fingerprints.get(object);
  if (known !== undefined) return known;
  const { status: _, metadata, ...rest } = object as KubernetesObject & { status?: unknown };
  const { resourceVersion: _1, generation: _2, managedFields: _3, ...stable } = metadata;
  const fingerprint = hashOf([stable, rest]);
  fingerprints.set(object, fingerprint);
  return fingerprint;
}
