import type { Diagnostic } from "./diagnostic.ts";
import type { GeneratorOptions } from "./options.ts";
import type { SourceTree } from "./source-tree.ts";

/** What the generators want written, and what they found wrong on the way. */
export interface ManifestsPlan {
  /** Files whose text is new or different; empty when the project is up to date. */
  readonly changes: readonly GeneratedFile[];
  /** Files that no source stands for any more. They are removed when `prune` is on. */
  readonly stale: readonly string[];
  /** Sorted by position. With an error among them, `changes` is empty: nothing may be written. */
  readonly diagnostics: readonly Diagnostic[];
}

/** A file of the plan: `content` undefined removes it. */
export interface GeneratedFile {
  readonly path: string;
  readonly content: string | undefined;
}

/** Computes `config/crd/bases`, `config/rbac/role.yaml` and `config/webhook/manifests.yaml` in memory. */
export type PlanManifests = (tree: SourceTree, options?: GeneratorOptions) => Promise<ManifestsPlan>;
