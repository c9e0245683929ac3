import { announceTarget, applyFlags } from "../cluster-flags.ts";
import { defineCommand } from "../command.ts";
import { openProject } from "../open-project.ts";

export const install = defineCommand({
  summary: "Apply the project's definitions to a cluster",
  flags: applyFlags,
  examples: ["tsbuilder install", "tsbuilder install --context kind-dev --diff"],
  async run({ flags, cwd, ui }) {
    const { root } = openProject(cwd, ui);
    const { applyOrDiff, renderDefinitions } = await import("../../ship/deploy.ts");
    const definitions = await renderDefinitions(root);
    await announceTarget(flags, ui, { action: "Installing definitions" });
    const lines = await applyOrDiff(definitions, { ...flags, dryRun: flags["dry-run"] });
    ui.print(lines.join("\n"));
  },
});
