import { realpathSync } from "node:fs";
import { join } from "node:path";
import { defineCommand } from "../../arguments/command.ts";
import { findProjectRoot } from "../../../project/store.ts";
import { viewProject } from "../../project/open-project.ts";
import { quoteWord } from "../../../shared/text.ts";
import { type ListedPlugin, listPlugins } from "../../../plugins/contributed/choose-plugin.ts";
import { type PackageCode, allow, requirePackage } from "../../../plugins/contributed/load-plugin.ts";
import { ownPackage } from "../../../plugins/optional/index.ts";
import { TsbuilderError } from "../../../shared/errors.ts";

export const plugins = defineCommand({
  description:
    "Plugins are npm packages that are called tsbuilder-plugin-NAME, or folders. The code of one only runs once you have named it with --plugins, or allowed it with tsbuilder plugins allow; only what it contributes is checked.",
  flags: {},
  examples: ["tsbuilder plugins", "tsbuilder plugins --output json", "tsbuilder plugins allow"],
  async run({ cwd, ui, host }) {
    const opened = findProjectRoot(cwd) === undefined ? undefined : viewProject(cwd, ui);
    const listed = listPlugins(opened?.project.plugins ?? [], opened?.root ?? cwd, host.version());
    ui.add?.({ plugins: listed });
    for (const plugin of listed) ui.print(describePlugin(plugin));
    return listed.some(({ error, use }) => error !== undefined && use !== undefined) ? 1 : 0;
  },
});

function describePlugin({ key, version, source, summary, use, deprecated, allowed, error }: ListedPlugin) {
  const where = version === undefined ? source : `${source}, ${version}`;
  const lines = [
    `${key} (${where})${use === undefined ? "" : `: used for ${use === "project" ? "the project" : use}`}`,
    summary,
    allowed === undefined
      ? undefined
      : `its code may not run yet: tsbuilder plugins allow ${quoteWord(source)}`,
    deprecated === undefined ? undefined : `deprecated: ${deprecated}`,
    error === undefined ? undefined : `error: ${error}`,
  ];
  return lines.filter((line) => line !== undefined).join("\n    ");
}

export const pluginsAllow = defineCommand({
  description:
    "Allows the plugins that PROJECT names, or those whose keys, packages or folders are given, and with the name tsbuilder the project's own tsbuilder, which upgrade --diff runs. This is remembered outside of the project, below $XDG_STATE_HOME or ~/.local/state, for this folder, and holds until one of the package's files changes. Look at the code first: it runs with all that you may do.",
  flags: {},
  positionals: ["[names...]"],
  examples: ["tsbuilder plugins allow", "tsbuilder plugins allow ./tools/tsbuilder-plugin-team"],
  async run({ positionals, cwd, ui }) {
    const { root, project } = viewProject(cwd, ui);
    const sourcesByKey = new Map(project.plugins.map((use) => [use.key, use.package]));
    const all = [...sourcesByKey.values()].filter((source) => source !== undefined && source !== ownPackage);
    const sources =
      positionals.length === 0 ? all : positionals.map((name) => sourcesByKey.get(name) ?? name);
    for (const source of new Set(sources)) {
      const found = source === ownPackage ? findOwnTsbuilder(root) : requirePackage(source!, root);
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

/** Finds the tsbuilder that the project has installed. */
function findOwnTsbuilder(root: string): PackageCode {
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
