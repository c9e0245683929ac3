import { announceTarget, clusterFlags, deletionTimeout, overrideFlags } from "../cluster-flags.ts";
import { defineCommand } from "../command.ts";
import { openOrView } from "../open-project.ts";
import { deleteFromCluster } from "../delete-from-cluster.ts";

export const undeploy = defineCommand({
  summary: "Undeploy the operator from a cluster",
  description:
    "CRDs that still have objects, and a namespace that contains objects of others, are kept unless --force is given: deleting them deletes everything in them.",
  flags: {
    ...clusterFlags,
    namespace: overrideFlags.namespace,
    force: {
      type: "boolean",
      summary: "also delete CRDs and the namespace that still contain objects",
      default: false,
    },
    "dry-run": { type: "boolean", summary: "print what would be deleted", default: false },
    timeout: deletionTimeout,
  },
  async run({ flags, cwd, ui }) {
    const { root, project } = openOrView(cwd, ui, flags);
    const { renderDeployment } = await import("../../ship/cluster/deploy.ts");
    const objects = await renderDeployment(root, { namespace: flags.namespace });
    const namespace = flags.namespace ?? `${project.projectName}-system`;
    await announceTarget(flags, ui, { action: "Deleting the operator", namespace });
    await deleteFromCluster(objects, flags, ui);
  },
});
