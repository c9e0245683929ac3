import { announceTarget, clusterFlags, deletionTimeout } from "../../arguments/cluster-flags.ts";
import { defineCommand } from "../../arguments/command.ts";
import { openOrView } from "../../project/open-project.ts";
import { deleteFromCluster } from "./undeploy.ts";

export const uninstall = defineCommand({
  summary: "Uninstall the CRDs from a cluster",
  description:
    "CRDs that still have objects are kept unless --force is given: deleting a CRD deletes all its objects.",
  flags: {
    ...clusterFlags,
    force: { type: "boolean", summary: "also delete CRDs that still have objects", default: false },
    "dry-run": { type: "boolean", summary: "print what would be deleted", default: false },
    timeout: deletionTimeout,
  },
  async run({ flags, cwd, ui }) {
    const { root } = openOrView(cwd, ui, flags);
    const { renderCrds } = await import("../../../ship/cluster/deploy.ts");
    const crds = await renderCrds(root);
    await announceTarget(flags, ui, { action: "Deleting CRDs" });
    await deleteFromCluster(crds, flags, ui);
  },
});
