import type { ManifestsPlan } from "../generators/manifests.ts";
import type { GeneratorOptions } from "../generators/options.ts";
import type { GeneratorCache } from "../generators/project-sources.ts";
import type { Draft } from "../scaffold/tree.ts";
import { refuseFindings } from "./refuse-findings.ts";

/** Adds the generators' output to a draft, so that a new kind and its CRD are written in one plan. */
export async function planGenerated(
  draft: Draft,
  options: GeneratorOptions = {},
  cache?: GeneratorCache,
): Promise<string[]> {
  const { planManifests } = await import("../generators/manifests.ts");
  return mergeChanges(draft, await planManifests(draft, { prune: true, ...options }, cache));
}

/** Adds the API reference to a draft. */
export async function planReference(draft: Draft, folder: string): Promise<string[]> {
  const { planDocs } = await import("../generators/docs/api-reference.ts");
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
