import { planManifests } from "../generators/manifests.ts";
import type { Draft } from "../scaffold/tree.ts";
import { refuseFindings } from "./refuse-findings.ts";

/** Lays what the generators write over a draft, so that a new kind and its definition are one plan. */
export async function planGenerated(draft: Draft): Promise<string[]> {
  const { changes, stale, diagnostics } = await planManifests(draft, { prune: true });
  const notes = refuseFindings(diagnostics);
  for (const { path, content } of changes) {
    if (content === undefined) draft.remove(path);
    else draft.write(path, content, "generated");
  }
  for (const path of stale) if (draft.has(path)) draft.remove(path);
  return notes;
}
