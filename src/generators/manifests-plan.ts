import type { Diagnostic } from "./diagnostic.ts";

/** The files to write, and the findings. */
export interface ManifestsPlan {
  /** New and changed files; empty if the project is up to date. */
  readonly changes: readonly GeneratedFile[];
  /** CRD files without a kind. If `prune` is on, `changes` deletes them. */
  readonly stale: readonly string[];
  /** Sorted by position. If one is an error, `changes` is empty: nothing may be written. */
  readonly diagnostics: readonly Diagnostic[];
}

/** A file of the plan; `content` undefined deletes it. */
export interface GeneratedFile {
  readonly path: string;
  readonly content: string | undefined;
}
