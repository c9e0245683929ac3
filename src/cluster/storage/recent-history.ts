import type { Change } from "./change.ts";
import type { Collection } from "./collection.ts";
import type { Entry } from "./entry.ts";

/** A state of all resources, and every change after it. */
export interface RecentHistory {
  /** The revision of the state. */
  readonly revision: number;
  readonly state: ReadonlyArray<readonly [collection: string, entry: Entry]>;
  readonly changes: ReadonlyArray<readonly [collection: string, change: Change]>;
}

/** The longest history that is complete for all resources and whose objects take no more than so many bytes. */
export function recentHistory(collections: readonly Collection[], bytes: number): RecentHistory {
  const oldest = Math.max(1, ...collections.map(({ compactedRevision }) => compactedRevision));
  const all = collections
    .flatMap((each) => each.changesSince(oldest)!.map((change) => [each.name, change] as const))
    .sort(([, a], [, b]) => a.revision - b.revision);
  let start = all.length;
  let left = bytes;
  while (start > 0) {
    left -= all[start - 1]![1].entry.bytes.length;
    if (left < 0) break;
    start--;
  }
  const revision = start === 0 ? oldest : all[start - 1]![1].revision;
  return {
    revision,
    state: collections.flatMap((each) => each.stateAt(revision)!.map((entry) => [each.name, entry] as const)),
    changes: all.slice(start),
  };
}
