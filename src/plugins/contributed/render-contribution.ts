import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import Handlebars from "handlebars";
import { everythingBelow } from "../../scaffold/tree.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { isInside } from "../../shared/is-inside.ts";
import { type CheckedContribution, checkContributedPath, checkSize } from "./check-contribution.ts";
import type { ContributedPart } from "./define-plugin.ts";
import type { LoadedPlugin } from "./load-plugin.ts";
import { messageOf, pluginError } from "./plugin-error.ts";
import type { ScopedContribution, ScopedFile } from "./plugin-record.ts";

/** Fills in the templates of a contribution, which come from the plugin's own package only. */
export function renderContribution(
  plugin: LoadedPlugin,
  scope: string,
  { parts, files, inserts }: CheckedContribution,
): ScopedContribution {
  const { key } = plugin.definition;
  const all = [
    ...parts.flatMap((part) => renderTemplates(plugin, part)),
    ...files.map(({ path, content, ownership }): ScopedFile => ({ id: path, path, content, ownership })),
  ];
  checkSize(
    key,
    scope,
    all.map(({ content }) => content),
  );
  const twin = all.find(({ path }, i) => all.findIndex((other) => other.path === path) !== i);
  if (twin) throw pluginError(key, `${scope} has "${twin.path}" twice`);
  return { scope, files: all, inserts };
}

function renderTemplates(plugin: LoadedPlugin, part: Required<ContributedPart>): ScopedFile[] {
  const { key } = plugin.definition;
  const tree = everythingBelow(templateFolder(plugin, part.templates));
  const templates = tree.list("").filter((path) => path.endsWith(".hbs"));
  if (templates.length === 0) throw pluginError(key, `no template found in "${part.templates}"`);
  return templates.map((template) => {
    const name = template.slice(0, -".hbs".length);
    try {
      const path = fill(name, part.context);
      const content = fill(tree.read(template)!, part.context);
      return {
        id: `${part.templates}#${name}`,
        path: checkContributedPath(key, path),
        content,
        ownership: part.ownership,
      };
    } catch (cause) {
      if (cause instanceof TsbuilderError) throw cause;
      throw pluginError(key, `its template "${part.templates}/${template}": ${messageOf(cause)}`, { cause });
    }
  });
}

/** Strict, as our own: a variable missing in the context is a bug, not an empty string. */
function fill(text: string, context: Readonly<Record<string, string>>): string {
  if (!text.includes("{{")) return text;
  return Handlebars.compile(text, { noEscape: true, strict: true, knownHelpersOnly: true })(context);
}

function templateFolder({ definition: { key, templates }, found }: LoadedPlugin, folder: string): string {
  if (templates === undefined)
    throw pluginError(key, `it has no folder of templates, and names "${folder}" there`);
  const base = resolve(found.folder, templates instanceof URL ? fileOf(key, templates) : templates);
  const wanted = resolve(base, folder);
  if (!existsSync(wanted)) throw pluginError(key, `its templates "${folder}" do not exist`);
  if (isInside(found.folder, realpathSync(wanted)) && isInside(base, wanted)) return wanted;
  throw pluginError(key, `its templates "${folder}" are outside of its package`, { code: "REFUSED" });
}

function fileOf(key: string, url: URL): string {
  try {
    return fileURLToPath(url);
  } catch (cause) {
    throw pluginError(key, 'its "templates" is not the URL of a folder', { cause });
  }
}
