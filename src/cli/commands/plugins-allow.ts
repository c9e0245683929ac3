import { realpathSync } from "node:fs";
import { join } from "node:path";
import { allow, type PackageCode } from "../../plugins/contributed/allowed-code.ts";
import { requirePackage } from "../../plugins/contributed/load-plugin.ts";
import { ownPackage } from "../../plugins/optional/index.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { defineCommand } from "../command.ts";
import { viewProject } from "../open-project.ts";

export const pluginsAllow = defineCommand({
  summary: "Allow the code of plugins to run",
  description:
    "Allows the plugins that PROJECT names, or those whose keys, packages or folders are given, and with the name tsbuilder the project's own tsbuilder, which upgrade --diff runs. This is remembered outside of the project, below $XDG_STATE_HOME or ~/.local/state, for this folder, and holds until one of the package's files changes. Look at the code first: it runs with all that you may do.",
  flags: {},
  positionals: ["[names...]"],
  examples: ["tsbuilder plugins allow", "tsbuilder plugins allow ./tools/tsbuilder-plugin-team"],
  async run({ positionals, cwd, ui }) {
    const { root, project } = viewProject(cwd, ui);
    const used = new Map(project.plugins.map((use) => [use.key, use.package]));
    const all = [...used.values()].filter((source) => source !== undefined && source !== ownPackage);
    const sources = positionals.length === 0 ? all : positionals.map((name) => used.get(name) ?? name);
    for (const source of new Set(sources)) {
      const found = source === ownPackage ? findOwn(root) : requirePackage(source!, root);
      const reason = allow(found);
      if (reason !== undefined) throw notRemembered(source!, reason);
      ui.print(`allowed "${source}" in "${found.folder}", until one of its files changes`);
    }
    if (sources.length === 0) ui.print("The project has no plugins of others.");
  },
});

const notRemembered = (source: string, reason: string): TsbuilderError =>
  new TsbuilderError(`"${source}" is not allowed, since there is no folder to remember it in: ${reason}`, {
    code: "REFUSED",
    hint: "make the folder one that you alone may change, or set XDG_STATE_HOME to an absolute path of such a folder",
  });

function findOwn(root: string): PackageCode {
  try {
    return { name: ownPackage, folder: realpathSync(join(root, "node_modules", ownPackage)) };
  } catch (cause) {
    throw new TsbuilderError("the project's own tsbuilder is not installed", {
      code: "NOT_FOUND",
      hint: "install the project's packages first",
      cause,
    });
  }
}
