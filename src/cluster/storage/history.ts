import type { Change } from "./change.ts";
import type { Entry } from "./entry.ts";

/** The recent changes of one resource, oldest first. */
export class History {
  readonly #limit: number;
  #changes: Change[] = [];
  #bytes = 0;
  #compactedRevision: number;

  /** The limit is a number of changes; the revision is the one from which all changes will be recorded. */
  constructor(limit: number, revision: number) {
    this.#limit = limit;
    this.#compactedRevision = revision;
  }

  /** How many bytes of JSON it keeps in memory besides the current state. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Changes up to this revision are forgotten. */
  get compactedRevision(): number {
    return this.#compactedRevision;
  }

  push(change: Change): void {
    this.#changes.push(change);
    this.#bytes += weightOf(change);
    if (this.#changes.length > 2 * this.#limit) this.#forget(this.#changes.length - this.#limit);
  }

  /** The changes after a revision, or undefined if some are forgotten. */
  since(revision: number): readonly Change[] | undefined {
    if (revision < this.#compactedRevision) return undefined;
    let index = this.#changes.length;
    while (index > 0 && this.#changes[index - 1]!.revision > revision) index--;
    return this.#changes.slice(index);
  }

  /** Forgets the oldest changes until those that are left keep no more than so many bytes. */
  shrink(bytes: number): void {
    let count = 0;
    for (let left = this.#bytes; left > bytes && count < this.#changes.length; count++) {
      left -= weightOf(this.#changes[count]!);
    }
    this.#forget(count);
  }

  /** Forgets the changes up to a revision. */
  compact(revision: number): void {
    const kept = this.#changes.findIndex((change) => change.revision > revision);
    this.#forget(kept === -1 ? this.#changes.length : kept);
    this.#compactedRevision = Math.max(this.#compactedRevision, revision);
  }

  #forget(count: number): void {
    if (count === 0) return;
    const forgotten = this.#changes.slice(0, count);
    this.#changes = this.#changes.slice(count);
    for (const change of forgotten) this.#bytes -= weightOf(change);
    this.#compactedRevision = forgotten.at(-1)!.revision;
  }
}

/** The states of objects before some changes; undefined for objects that did not exist. */
export function statesBefore(changes: readonly Change[]): Map<string, Entry | undefined> {
  const states = new Map<string, Entry | undefined>();
  for (const { entry, previous } of changes) {
    if (!states.has(entry.key)) states.set(entry.key, previous);
  }
  return states;
}

/** A change keeps the state that it replaced, and a deletion also the last state. */
function weightOf({ type, previous }: Change): number {
  const replaced = previous?.bytes.length ?? 0;
  return type === "DELETED" ? 2 * replaced : replaced;
}
