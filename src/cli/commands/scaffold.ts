import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { applyPlan } from "../../scaffold/apply.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { defineCommand } from "../command.ts";
import { withProjectLock } from "../lock-project.ts";
import { openProject } from "../open-project.ts";
import { planFresh } from "../plan-fresh.ts";

export const scaffold = defineCommand({
  summary: "Write what PROJECT describes to another folder, as if it were new",
  description:
    "To compare with: nothing that was written since is in it, and no generated file, vendor/ or node_modules.",
  flags: {},
  positionals: ["<folder>"],
  examples: ["tsbuilder scaffold /tmp/fresh && diff -r . /tmp/fresh"],
  async run({ name, positionals, cwd, ui, host }) {
    const project = openProject(cwd, ui);
    const folder = resolve(cwd, positionals[0]!);
    if (existsSync(folder) && readdirSync(folder).length > 0) {
      throw new TsbuilderError(`"${folder}" is not empty`, {
        code: "ALREADY_EXISTS",
        hint: "name a folder that is not there yet",
      });
    }
    const changes = await planFresh(project, project.project, await host.vendorPackages());
    mkdirSync(folder, { recursive: true });
    await withProjectLock(folder, { name, note: (text) => ui.note(text) }, async () =>
      applyPlan(folder, changes),
    );
    ui.print(`wrote ${changes.length} files to "${folder}"`);
  },
});
