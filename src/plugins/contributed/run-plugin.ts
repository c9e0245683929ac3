import { hasWebhooks, type Project, qualifiedGroup, type Resource } from "../../project/project.ts";
import { isSameResource } from "../../project/project.ts";
import type { PluginUse } from "../../project/plugins.ts";
import { checkContribution } from "./check-contribution.ts";
import type { Contribution, KindInput, ProjectInput } from "./define-plugin.ts";
import type { LoadedPlugin } from "./load-plugin.ts";
import { messageOf, pluginError } from "./plugin-error.ts";
import type { PluginRecord, ScopedContribution } from "./plugin-record.ts";
import { renderContribution } from "./render-contribution.ts";

/** Everything that a plugin contributes to a project. */
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
  // A copy for each call: what a plugin changes there is lost.
  const input = (): ProjectInput => structuredClone({ project, options: use.options, boilerplate });
  if (use.isInLayout) await add("project", "init", () => definition.init?.(input()));
  for (const resource of project.resources) {
    if (!concerns(use, resource)) continue;
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

/** Calls a function of a plugin; whatever it throws is an error of the plugin. */
export async function callPlugin<T>(key: string, name: string, call: () => T | Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    throw pluginError(key, `${name} failed: ${messageOf(cause)}`, { cause });
  }
}

/** Names what a contribution belongs to. */
export function scopeOf(command: "api" | "webhook", resource: Resource): string {
  return `${command} ${qualifiedGroup(resource)}/${resource.version}/${resource.kind}`;
}

/** All that a plugin may contribute to. */
export function scopesOf(use: PluginUse, project: Project): Set<string> {
  const concerned = project.resources.filter((resource) => concerns(use, resource));
  return new Set([
    ...(use.isInLayout ? ["project"] : []),
    ...concerned.map((resource) => scopeOf("api", resource)),
    ...concerned.filter(hasWebhooks).map((resource) => scopeOf("webhook", resource)),
  ]);
}

const concerns = (use: PluginUse, resource: Resource): boolean =>
  use.isInLayout || use.resources.some((one) => isSameResource(one, resource));

const optionsFor = (use: PluginUse, resource: Resource) =>
  use.resources.find((one) => isSameResource(one, resource))?.options ?? {};
