import { existsSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { applyPlan } from "../../../scaffold/apply.ts";
import { atFile, makeFolder } from "../../../shared/files.ts";
import { TsbuilderError } from "../../../shared/errors.ts";
import { defineCommand } from "../../arguments/command.ts";
import { withProjectLock } from "../../project/lock-project.ts";
import { openProject } from "../../project/open-project.ts";
import { planFresh } from "../../upgrade/plan-upgrade.ts";

export const scaffold = defineCommand({
  description:
    "For comparison: contains none of your later edits, and no generated files, vendor/ or node_modules. Plugins are not run: what they contributed is taken from the project's record.",
  flags: {},
  positionals: ["<folder>"],
  examples: ["tsbuilder scaffold /tmp/fresh && diff -r . /tmp/fresh"],
  async run({ name, positionals, cwd, ui, host }) {
    const project = openProject(cwd, ui);
    const folder = resolve(cwd, positionals[0]!);
    if (existsSync(folder) && readdirSync(folder).length > 0) {
      throw new TsbuilderError(`"${folder}" is not empty`, {
        code: "ALREADY_EXISTS",
        hint: "use a folder that does not exist yet",
      });
    }
    const changes = await planFresh(project, project.project, await host.vendorPackages(), {
      plugins: "replay",
    });
    atFile(folder, () => makeFolder(folder));
    await withProjectLock(folder, { name, note: (text) => ui.note(text) }, async () =>
      applyPlan(folder, changes),
    );
    ui.print(`wrote ${changes.length} files to "${folder}"`);
  },
});
