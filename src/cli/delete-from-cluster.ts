import type { ClusterChoice } from "../ship/cluster/kubectl.ts";
import { describeObject, type ManifestObject } from "../ship/manifest.ts";
import type { Ui } from "./ui.ts";

/** Deletes objects from a cluster. First lists them, and those that are kept because other data depends on them. */
export async function deleteFromCluster(
  objects: readonly ManifestObject[],
  flags: ClusterChoice & {
    readonly force: boolean;
    readonly "dry-run": boolean;
    readonly timeout: number;
  },
  ui: Ui,
): Promise<void> {
  const { deleteObjects, planUndeploy } = await import("../ship/cluster/undeploy.ts");
  const plan = await planUndeploy(objects, flags, { force: flags.force });
  for (const { object, reason } of plan.keep) {
    ui.note(`keep ${describeObject(object)}: ${reason}; use --force to delete it, too`);
  }
  for (const object of plan.remove) ui.note(`delete ${describeObject(object)}`);
  if (flags["dry-run"]) {
    ui.note("Nothing was deleted (--dry-run).");
    return;
  }
  ui.print((await deleteObjects(plan.remove, { ...flags, seconds: flags.timeout })).join("\n"));
}
