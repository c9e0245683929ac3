import { announceTarget, clusterFlags, deletionTimeout } from "../cluster-flags.ts";
import { defineCommand } from "../command.ts";
import { openProject } from "../open-project.ts";
import { takeAway } from "../take-away.ts";

export const uninstall = defineCommand({
  summary: "Delete the project's definitions from a cluster",
  description:
    "A definition of which objects are left stays, unless --force is given: deleting it deletes them all.",
  flags: {
    ...clusterFlags,
    force: { type: "boolean", summary: "delete definitions with all their objects", default: false },
    "dry-run": { type: "boolean", summary: "show what would be deleted", default: false },
    timeout: deletionTimeout,
  },
  async run({ flags, cwd, ui }) {
    const { root } = openProject(cwd, ui);
    const { renderDefinitions } = await import("../../ship/deploy.ts");
    const definitions = await renderDefinitions(root);
    await announceTarget(flags, ui, { action: "Deleting definitions" });
    await takeAway(definitions, flags, ui);
  },
});
