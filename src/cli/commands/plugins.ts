import { defineCommand } from "../command.ts";
import { findProjectRoot } from "../find-project-root.ts";
import { viewProject } from "../open-project.ts";
import { quoteWord } from "../../shared/text.ts";
import { type ListedPlugin, listPlugins } from "../../plugins/contributed/list-plugins.ts";

export const plugins = defineCommand({
  summary: "List the plugins of the project, and those that are installed",
  description:
    "Plugins are npm packages that are called tsbuilder-plugin-NAME, or folders. The code of one only runs once you have named it with --plugins, or allowed it with tsbuilder plugins allow; only what it contributes is checked.",
  flags: {},
  examples: ["tsbuilder plugins", "tsbuilder plugins --output json", "tsbuilder plugins allow"],
  async run({ cwd, ui, host }) {
    const opened = findProjectRoot(cwd) === undefined ? undefined : viewProject(cwd, ui);
    const found = listPlugins(opened?.project.plugins ?? [], opened?.root ?? cwd, host.version());
    ui.add?.({ plugins: found });
    for (const plugin of found) ui.print(describe(plugin));
    return found.some(({ error, use }) => error !== undefined && use !== undefined) ? 1 : 0;
  },
});

function describe({ key, version, source, summary, use, deprecated, allowed, error }: ListedPlugin): string {
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
