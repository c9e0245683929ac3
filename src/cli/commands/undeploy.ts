import { announceTarget, clusterFlags, deletionTimeout, overrideFlags } from "../cluster-flags.ts";
import { defineCommand } from "../command.ts";
import { openProject } from "../open-project.ts";
import { takeAway } from "../take-away.ts";

export const undeploy = defineCommand({
  summary: "Delete the operator from a cluster",
  description:
    "Definitions of which objects are left, and a namespace in which others have something, stay unless --force is given: deleting one deletes all that is in it.",
  flags: {
    ...clusterFlags,
    namespace: overrideFlags.namespace,
    force: {
      type: "boolean",
      summary: "delete definitions and the namespace with all that is in them",
      default: false,
    },
    "dry-run": { type: "boolean", summary: "show what would be deleted", default: false },
    timeout: deletionTimeout,
  },
  async run({ flags, cwd, ui }) {
    const { root, project } = openProject(cwd, ui);
    const { renderDeployment } = await import("../../ship/deploy.ts");
    const objects = await renderDeployment(root, { namespace: flags.namespace });
    const namespace = flags.namespace ?? `${project.projectName}-system`;
    await announceTarget(flags, ui, { action: "Deleting the operator", namespace });
    await takeAway(objects, flags, ui);
  },
});
