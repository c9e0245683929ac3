/**
 * Whose a file is. `yours`: written once, then the user's. `generated`: says "DO NOT EDIT" and is always rewritten.
 * Lines that are inserted at markers leave a file with its owner.
 */
export type Ownership = "yours" | "generated";

/** One file of a plan, at its path from the project's root, with forward slashes. */
export interface FileChange {
  readonly path: string;
  readonly action: "create" | "update" | "delete";
  /** What the file will hold; undefined when it is deleted. */
  readonly content: string | Uint8Array | undefined;
  /** What it holds now; undefined when it is created, or is no text. */
  readonly before: string | undefined;
  readonly ownership: Ownership;
}

/** Everything that a command wants done to the project's files, in order; computed in memory. */
export interface Plan {
  readonly changes: readonly FileChange[];
  /** What the user should know: files that were there already and stay as they are, and the like. */
  readonly notes: readonly string[];
  /** Files that only change their place, by their old paths: a deletion and a creation among the changes. */
  readonly moves?: ReadonlyMap<string, string>;
}
