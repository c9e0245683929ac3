import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import Handlebars from "handlebars";
import type { PluginUse, Project, Resource } from "../../project/project.ts";
import { hasWebhooks, isSameResource, qualifiedGroup } from "../../project/project.ts";
import type { CheckedContribution } from "./check-contribution.ts";
import { checkContribution, checkSize } from "./check-contribution.ts";
import { checkContributedPath } from "./contributed-path.ts";
import type { ContributedPart, Contribution, KindInput, ProjectInput } from "../contract/define-plugin.ts";
import type { LoadedPlugin } from "./load-plugin.ts";
import { messageOf, pluginError } from "./plugin-error.ts";
import type { PluginRecord, ScopedContribution, ScopedFile } from "./plugin-record.ts";
import { everythingBelow } from "../../scaffold/tree.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { isInside } from "../../shared/files.ts";

/** Asks a plugin for its contributions, and renders them. Throws a TsbuilderError if a call of it fails. */
export async function runPlugin(
  plugin: LoadedPlugin,
  use: PluginUse,
  project: Project,
  boilerplate: string,
): Promise<PluginRecord> {
  const { definition, found } = plugin;
  const contributions: ScopedContribution[] = [];
  const add = async (
    scope: string,
    name: "init" | "createApi" | "createWebhook",
    call: () => Contribution | Promise<Contribution> | undefined,
  ): Promise<void> => {
    if (definition[name] === undefined) return;
    const contribution = await callPlugin(definition.key, `${name}()`, call);
    const checked = checkContribution(definition.key, `what ${name}() returned`, contribution);
    const rendered = renderContribution(plugin, scope, checked);
    if (rendered.files.length > 0 || rendered.inserts.length > 0) contributions.push(rendered);
  };
  // A copy for each call, so that changes by the plugin have no effect.
  const input = (): ProjectInput => structuredClone({ project, options: use.options, boilerplate });
  if (use.isInLayout) await add("project", "init", () => definition.init?.(input()));
  for (const resource of project.resources) {
    if (!contributesTo(use, resource)) continue;
    const kindInput = (): KindInput => ({
      ...input(),
      resource: structuredClone(resource),
      kindOptions: structuredClone(optionsFor(use, resource)),
    });
    await add(scopeOf("api", resource), "createApi", () => definition.createApi?.(kindInput()));
    if (hasWebhooks(resource))
      await add(scopeOf("webhook", resource), "createWebhook", () => definition.createWebhook?.(kindInput()));
  }
  return { key: definition.key, version: found.version, contributions };
}

/** Renders the templates of a contribution, which must be in the plugin's own package. */
function renderContribution(
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
  const duplicate = all.find(({ path }, i) => all.findIndex((other) => other.path === path) !== i);
  if (duplicate) throw pluginError(key, `${scope} has "${duplicate.path}" twice`);
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
  const base = resolve(found.folder, templates instanceof URL ? urlToPath(key, templates) : templates);
  const wanted = resolve(base, folder);
  if (!existsSync(wanted)) throw pluginError(key, `its templates "${folder}" do not exist`);
  if (isInside(found.folder, realpathSync(wanted)) && isInside(base, wanted)) return wanted;
  throw pluginError(key, `its templates "${folder}" are outside of its package`, { code: "REFUSED" });
}

function urlToPath(key: string, url: URL): string {
  try {
    return fileURLToPath(url);
  } catch (cause) {
    throw pluginError(key, 'its "templates" is not the URL of a folder', { cause });
  }
}

/** Calls a function of a plugin; any value that it throws becomes an error of the plugin. */
export async function callPlugin<T>(key: string, name: string, call: () => T | Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    throw pluginError(key, `${name} failed: ${messageOf(cause)}`, { cause });
  }
}

/** Formats the scope of a contribution to a kind, as records have it. */
export function scopeOf(command: "api" | "webhook", resource: Resource): string {
  return `${command} ${qualifiedGroup(resource)}/${resource.version}/${resource.kind}`;
}

/** Returns the scopes that a plugin may contribute to: the project and its kinds, or single kinds. */
export function scopesOf(use: PluginUse, project: Project): Set<string> {
  const resources = project.resources.filter((resource) => contributesTo(use, resource));
  return new Set([
    ...(use.isInLayout ? ["project"] : []),
    ...resources.map((resource) => scopeOf("api", resource)),
    ...resources.filter(hasWebhooks).map((resource) => scopeOf("webhook", resource)),
  ]);
}

const contributesTo = (use: PluginUse, resource: Resource): boolean =>
  use.isInLayout || use.resources.some((other) => isSameResource(other, resource));

const optionsFor = (use: PluginUse, resource: Resource) =>
  use.resources.find((other) => isSameResource(other, resource))?.options ?? {};
