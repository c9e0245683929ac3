import type { Entry } from "./entry.ts";

export type ChangeType = "ADDED" | "MODIFIED" | "DELETED";

/** A committed write. For a deletion, `entry` is the last state, with the revision of the deletion. */
export interface Change {
  readonly type: ChangeType;
  readonly revision: number;
  readonly entry: Entry;
  readonly previous: Entry | undefined;
  /** The event's bytes by representation, encoded once for all watchers. */
  encoded?: Map<string, Buffer> | undefined;
}
