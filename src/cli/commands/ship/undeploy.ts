import {
  announceTarget,
  clusterFlags,
  deletionTimeout,
  overrideFlags,
} from "../../arguments/cluster-flags.ts";
import { defineCommand, flag } from "../../arguments/command.ts";
import { openOrView } from "../../project/open-project.ts";
import type { ClusterChoice } from "../../../ship/cluster/kubectl.ts";
import { type ManifestObject, describeObject } from "../../../ship/manifest.ts";
import type { Ui } from "../../reporting/report.ts";

export const undeploy = defineCommand({
  description:
    "CRDs that still have objects, and a namespace that contains objects of others, are kept unless --force is given: deleting them deletes everything in them.",
  flags: {
    ...clusterFlags,
    namespace: overrideFlags.namespace,
    force: flag.switch("also delete CRDs and the namespace that still contain objects"),
    "dry-run": flag.switch("print what would be deleted"),
    timeout: deletionTimeout,
  },
  async run({ flags, cwd, ui }) {
    const { root, project } = openOrView(cwd, ui, flags);
    const { renderDeployment } = await import("../../../ship/cluster/deploy.ts");
    const objects = await renderDeployment(root, { namespace: flags.namespace });
    const namespace = flags.namespace ?? `${project.projectName}-system`;
    await announceTarget(flags, ui, { action: "Deleting the operator", namespace });
    await deleteFromCluster(objects, flags, ui);
  },
});

interface DeletionFlags extends ClusterChoice {
  readonly force: boolean;
  readonly "dry-run": boolean;
  readonly timeout: number;
}

/** Deletes objects from a cluster. Lists them first, and the objects that are kept because other data depends on them. */
export async function deleteFromCluster(
  objects: readonly ManifestObject[],
  flags: DeletionFlags,
  ui: Ui,
): Promise<void> {
  const { deleteObjects, planUndeploy } = await import("../../../ship/cluster/undeploy.ts");
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
