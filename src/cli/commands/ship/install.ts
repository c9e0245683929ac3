import { announceTarget, applyFlags } from "../../arguments/cluster-flags.ts";
import { defineCommand } from "../../arguments/command.ts";
import { openOrView } from "../../project/open-project.ts";

export const install = defineCommand({
  flags: applyFlags,
  examples: ["tsbuilder install", "tsbuilder install --context kind-dev --diff"],
  async run({ flags, cwd, ui }) {
    const { root } = openOrView(cwd, ui, flags);
    const { applyOrDiff, renderCrds } = await import("../../../ship/cluster/deploy.ts");
    const crds = await renderCrds(root);
    await announceTarget(flags, ui, { action: "Installing CRDs" });
    const lines = await applyOrDiff(crds, { ...flags, dryRun: flags["dry-run"] });
    ui.print(lines.join("\n"));
  },
});
