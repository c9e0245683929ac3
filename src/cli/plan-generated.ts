import { planDocs } from "../generators/docs/api-reference.ts";
import { type ManifestsPlan, planManifests } from "../generators/manifests.ts";
import type { GeneratorOptions } from "../generators/options.ts";
import type { GeneratorCache } from "../generators/project-sources.ts";
import type { Draft } from "../scaffold/tree.ts";
import { refuseFindings } from "./refuse-findings.ts";

/** Lays what the generators write over a draft, so that a new kind and its definition are one plan. */
export async function planGenerated(
  draft: Draft,
  options: GeneratorOptions = {},
  cache?: GeneratorCache,
): Promise<string[]> {
  return layOver(draft, await planManifests(draft, { prune: true, ...options }, cache));
}

/** Lays the API reference over a draft. */
export async function planReference(draft: Draft, folder: string): Promise<string[]> {
  return layOver(draft, await planDocs(draft, {}, folder));
}

/** Lays a plan of the generators over a draft; throws what they found wrong, and tells their warnings. */
export function layOver(draft: Draft, { changes, diagnostics }: ManifestsPlan): string[] {
  const notes = refuseFindings(diagnostics);
  for (const { path, content } of changes) {
    if (content === undefined) draft.remove(path);
    else draft.write(path, content, "generated");
  }
  return notes;
}
