/**
 * The data that all generators share: files in and out, options (`options.ts`), findings (`diagnostic.ts`), schemas while
 * they are built (`schema.ts`), the Markdown of descriptions (`markdown.ts`), and their YAML (`emit.ts`). Users import the
 * types of this file, of options and of findings: they refer to no other package.
 */

import type { Diagnostic } from "./diagnostic.ts";

/**
 * The project's files as the generators see them. Paths are relative to the project's root and use forward slashes.
 * Pending changes can be overlaid on the disk, so that a new API and its CRD are planned together.
 */
export interface SourceTree {
  /** The text of a file; undefined if it does not exist. */
  read(path: string): string | undefined;
  /** Tells an empty folder from a missing one, which list the same; true for files, too. */
  has(path: string): boolean;
  /** The paths of all files in a folder, without `node_modules`, `dist`, `vendor` and hidden folders. */
  list(folder: string): readonly string[];
}

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
