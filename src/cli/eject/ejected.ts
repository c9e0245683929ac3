/**
 * The parts of tsbuilder that a project needs once it is ejected: `tsbuilder eject` copies them, compiled, into
 * `hack/tsbuilder`, where `hack/operator.js` imports them.
 */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { planDocs } from "../../generators/docs/api-reference.ts";
import { planManifests } from "../../generators/manifests.ts";
import { Draft, diskTree } from "../../scaffold/tree.ts";
import { mergeChanges, referenceFolder } from "../project/plan-generated.ts";

export { bundleOperator } from "../../ship/bundle.ts";
export { findTarget } from "../../ship/cluster/kubectl.ts";
export { applyOrDiff, renderCrds, renderDeployment, renderSamples } from "../../ship/cluster/deploy.ts";
export { waitForOperator } from "../../ship/cluster/wait.ts";
export { deleteObjects, planUndeploy } from "../../ship/cluster/undeploy.ts";
export { describeObject } from "../../ship/manifest.ts";
export { renderConfig } from "../../ship/render.ts";
export { visibleText } from "@tsbuilder/apimachinery/text";

/** Writes what `tsbuilder generate` writes. Returns warnings, and what was written; throws all errors before it writes anything. */
export async function generate(root: string): Promise<readonly string[]> {
  const draft = new Draft(diskTree(root));
  const notes = mergeChanges(draft, await planManifests(draft, { prune: true }));
  if (draft.has(referenceFolder))
    notes.push(...mergeChanges(draft, await planDocs(draft, {}, referenceFolder)));
  for (const { path, content } of draft.changes()) {
    const file = join(root, path);
    if (content === undefined) rmSync(file);
    else {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
    }
    notes.push(`${content === undefined ? "deleted" : "wrote"} ${path}`);
  }
  return [...new Set(notes)];
}
