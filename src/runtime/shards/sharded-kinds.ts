import type { Kind, ObjectMeta } from "@tsbuilder/apimachinery/meta";
import { rangeOf } from "./ranges.ts";

/** What the hash is made of. */
export type ShardKey = "uid" | "namespace";

/** How the objects of kinds are shared, and whose caches are. */
export class ShardedKinds {
  readonly #by: ShardKey;
  readonly #divided = new Set<string>();
  readonly #whole = new Set<string>();

  constructor(by: ShardKey) {
    this.#by = by;
  }

  /** Objects without a namespace are shared by uid. */
  keyOf({ scope }: Pick<Kind, "scope">): ShardKey {
    return scope === "Namespaced" ? this.#by : "uid";
  }

  rangeOf(kind: Pick<Kind, "scope">, metadata: Pick<ObjectMeta, "uid" | "namespace">): number {
    return rangeOf(metadata[this.keyOf(kind)] ?? "");
  }

  /** Lets the cache keep a kind's own part only, unless someone needs all of it. */
  divide(id: string): void {
    this.#divided.add(id);
  }

  keepWhole(id: string): void {
    this.#whole.add(id);
  }

  isDivided(id: string): boolean {
    return this.#divided.has(id) && !this.#whole.has(id);
  }
}
