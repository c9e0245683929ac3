import { announceTarget, clusterFlags, deletionTimeout } from "../../arguments/cluster-flags.ts";
import { defineCommand, flag } from "../../arguments/command.ts";
import { openOrView } from "../../project/open-project.ts";
import { deleteFromCluster } from "./undeploy.ts";

export const uninstall = defineCommand({
  description:
    "CRDs that still have objects are kept unless --force is given: deleting a CRD deletes all its objects.",
  flags: {
    ...clusterFlags,
    force: flag.switch("also delete CRDs that still have objects"),
    "dry-run": flag.switch("print what would be deleted"),
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
