import type { ManifestsPlan } from "../../generators/model/files.ts";
import type { GeneratorOptions } from "../../generators/model/options.ts";
import type { GeneratorCache } from "../../generators/sources/cache.ts";
import type { Draft, Tree } from "../../scaffold/tree.ts";
import type { Diagnostic } from "../../generators/model/diagnostic.ts";
import { TsbuilderError } from "../../shared/errors.ts";

/** The folder that `generate docs` writes by default, and that `generate` keeps up to date. */
export const referenceFolder = "docs/api";

/**
 * Adds the generators' output to a draft, so that a new kind and its CRD are written in one plan. Reuses the results in a
 * cache of this process, or those of the last command in the project at `root`. Returns warnings; throws all errors at once.
 */
export async function planGenerated(
  draft: Draft,
  options: GeneratorOptions = {},
  earlier?: GeneratorCache | { readonly root: string },
): Promise<string[]> {
  const { planManifests } = await import("../../generators/manifests.ts");
  const plan = (cache?: GeneratorCache): Promise<ManifestsPlan> =>
    planManifests(draft, { prune: true, ...options }, cache);
  if (!earlier || !("root" in earlier)) return mergeChanges(draft, await plan(earlier));
  const { KeptResults } = await import("./kept-results.ts");
  const kept = KeptResults.open(earlier.root, process.env);
  return mergeChanges(draft, kept ? await kept.plan(draft, options, plan) : await plan());
}

/** Returns the generators for `planProjectChange`; undefined with `--make=false`. */
export function generatorsIf(
  make: boolean,
  earlier?: { readonly root: string },
): ((draft: Draft) => Promise<string[]>) | undefined {
  return make ? (draft) => planGenerated(draft, {}, earlier) : undefined;
}

/** Adds the API reference to a draft. */
export async function planReference(draft: Draft, folder: string): Promise<string[]> {
  const { planDocs } = await import("../../generators/docs/api-reference.ts");
  return mergeChanges(draft, await planDocs(draft, {}, folder));
}

/** Merges the generators' changes into a draft. Throws their errors, returns their warnings. */
export function mergeChanges(draft: Draft, { changes, diagnostics }: ManifestsPlan): string[] {
  const notes = refuseFindings(diagnostics);
  for (const { path, content } of changes) {
    if (content === undefined) draft.remove(path);
    else draft.write(path, content, "generated");
  }
  return notes;
}

/** Throws all errors of the generators at once; returns their warnings. */
export function refuseFindings(findings: readonly Diagnostic[]): string[] {
  const errors = findings.filter(({ severity }) => severity === "error");
  if (errors.length > 0) {
    const count = errors.length === 1 ? "is an error" : `are ${errors.length} errors`;
    throw new TsbuilderError(
      [`there ${count} in the project's sources`, ...errors.map(describeFinding)].join("\n\n"),
      { code: "INVALID_SOURCE", hint: "fix the sources; nothing was written", problems: errors },
    );
  }
  return findings.map((finding) => `warning: ${describeFinding(finding)}`);
}

function describeFinding({ message, hint, at, frame }: Diagnostic): string {
  return [
    at ? `${at.file}:${at.line}:${at.column}: ${message}` : message,
    ...(frame === undefined ? [] : [frame]),
    ...(hint === undefined ? [] : [`hint: ${hint}`]),
  ].join("\n");
}

/**
 * Wraps the tree of a command that generates after each edit: refuses to read a source that had content before and is
 * empty now. An editor is probably saving it, and without its types the generators would delete CRDs and RBAC rules.
 */
export function refuseEmptied(tree: Tree): Tree {
  const hadContent = new Set<string>();
  return {
    ...tree,
    read(path) {
      const text = tree.read(path);
      if (text) hadContent.add(path);
      if (text !== "" || !path.endsWith(".ts") || !hadContent.has(path)) return text;
      throw new TsbuilderError(`"${path}" is empty`, {
        code: "INVALID_SOURCE",
        hint: "save its content, or delete the file: until then, its manifests are kept",
      });
    },
  };
}
