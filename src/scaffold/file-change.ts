/**
 * The owner of a file. `yours`: written once, then the user's. `generated`: marked "DO NOT EDIT" and always
 * overwritten. Inserting lines at markers does not change the owner.
 */
export type Ownership = "yours" | "generated";

/** One file of a plan, at its path relative to the project's root, with forward slashes. */
export interface FileChange {
  readonly path: string;
  readonly action: "create" | "update" | "delete";
  /** The new content; undefined to delete the file. */
  readonly content: string | Uint8Array | undefined;
  /** The current content; undefined if the file is new or binary. */
  readonly before: string | undefined;
  readonly ownership: Ownership;
}

/** The changes that a command makes to the project's files, in order; computed in memory. */
export interface Plan {
  readonly changes: readonly FileChange[];
  /** Messages for the user, for example about existing files that are kept. */
  readonly notes: readonly string[];
  /** Files that are only moved, by their old paths; each is a deletion and a creation in `changes`. */
  readonly moves?: ReadonlyMap<string, string>;
}
