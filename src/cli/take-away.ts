import type { ClusterChoice } from "../ship/kubectl.ts";
import { describeObject, type ManifestObject } from "../ship/manifest.ts";
import type { Ui } from "./ui.ts";

/** Deletes objects from a cluster, after saying which, and which stay because people's data hang on them. */
export async function takeAway(
  objects: readonly ManifestObject[],
  flags: ClusterChoice & { readonly force: boolean; readonly "dry-run": boolean },
  ui: Ui,
): Promise<void> {
  const { planUndeploy, undeploy } = await import("../ship/deploy.ts");
  const plan = await planUndeploy(objects, flags, { force: flags.force });
  for (const { definition, objects: count } of plan.keep) {
    ui.note(`keep ${describeObject(definition)}: ${count} objects are left; --force deletes them too`);
  }
  for (const object of plan.remove) ui.note(`delete ${describeObject(object)}`);
  if (flags["dry-run"]) {
    ui.note("Nothing was deleted (--dry-run).");
    return;
  }
  ui.print((await undeploy(plan, flags)).join("\n"));
}
