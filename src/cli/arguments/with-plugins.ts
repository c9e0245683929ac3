import { isObject } from "@tsbuilder/apimachinery/json";
import { isAbsolute, relative, resolve, sep } from "node:path";
import type { LoadedPlugin } from "../../plugins/contributed/load-plugin.ts";
import { findPackage, isAllowed, isFolder } from "../../plugins/contributed/load-plugin.ts";
import { findPlugin, ownKeys } from "../../plugins/contributed/choose-plugin.ts";
import type { PluginCall } from "../../plugins/contributed/executables.ts";
import type { PluginCommand, PluginFlag } from "../../plugins/contract/define-plugin.ts";
import { loadUsed } from "../../plugins/contributed/plan-plugins.ts";
import { pluginError } from "../../plugins/contributed/plugin-error.ts";
import { callPlugin, scopeOf } from "../../plugins/contributed/run-plugin.ts";
import { ownPackage } from "../../plugins/optional/index.ts";
import type { PluginOptions, PluginUse, Project, Resource } from "../../project/project.ts";
import { isSameResource } from "../../project/project.ts";
import { parseProject } from "../../project/store.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import type { Command, FlagDefinition, Invocation } from "./command.ts";
import { readFlagWord } from "./command-line.ts";

/** Adds the flags of the project's plugins, and of those that `--plugins` names, to a command. */
export function withPlugins(
  name: string,
  command: Command,
  words: readonly string[],
  {
    root,
    text,
    isCompletion,
    isHelp,
  }: {
    readonly root: string;
    readonly text: string;
    readonly isCompletion: boolean;
    readonly isHelp: boolean;
  },
): Command {
  const uses = text === "" ? [] : parseProject(text).project.plugins;
  const removed = new Set(valuesOf(words, "--remove-plugins"));
  const used = uses
    .filter(({ key }) => !removed.has(key))
    .filter((use) => !(isCompletion || isHelp) || mayRun(use, root, isCompletion))
    .map((use): ChosenPlugin => ({ plugin: loadUsed(use, root, name as PluginCommand), isNew: false }));
  const chosen = [...used];
  const named = isCompletion || isHelp ? [] : valuesOf(words, "--plugins");
  for (const value of named.filter((one) => !ownKeys.has(one))) {
    const plugin = used.find(({ plugin: { definition, source } }) =>
      [definition.key, source].includes(value),
    )?.plugin;
    chosen.push({ plugin: plugin ?? findPlugin(value, root, name as PluginCommand), isNew: true });
  }
  const plugins = unique(chosen);
  return {
    ...command,
    flags: { ...command.flags, ...flagsOf(name as PluginCommand, command, plugins) },
    run: (call: Invocation) =>
      command.run({
        ...call,
        plugins: { choose: (project, resource) => choose(call, root, plugins, project, resource) },
      }),
  };
}

/**
 * Returns whether completion or `--help` may run a plugin. In a project that was only cloned, they must not run its
 * code.
 */
function mayRun({ package: source }: PluginUse, root: string, isCompletion: boolean): boolean {
  if (source === undefined) return !isCompletion;
  const found = source === ownPackage ? undefined : findPackage(source, root);
  return found === undefined || isAllowed(found);
}

interface ChosenPlugin {
  readonly plugin: LoadedPlugin;
  /** Named by `--plugins`. */
  readonly isNew: boolean;
}

function unique(chosen: readonly ChosenPlugin[]): ChosenPlugin[] {
  return [...new Map(chosen.map((one) => [one.plugin.definition.key, one])).values()];
}

/** The values of a list flag, before the flags of the command are known. */
function valuesOf(words: readonly string[], flag: string): string[] {
  return words
    .flatMap((word, i) => {
      const read = readFlagWord(word);
      return read?.flag === flag ? [read.value ?? words[i + 1] ?? ""] : [];
    })
    .flatMap((value) => value.split(","))
    .filter((value) => value !== "");
}

function flagsOf(
  name: PluginCommand,
  command: Command,
  plugins: readonly ChosenPlugin[],
): Record<string, FlagDefinition> {
  const owners = new Map<string, string>();
  const flags: Record<string, FlagDefinition> = {};
  for (const { plugin, isNew } of plugins) {
    const { key } = plugin.definition;
    for (const [flag, definition] of takenBy(name, plugin)) {
      const owner = Object.hasOwn(command.flags, flag) ? "tsbuilder" : owners.get(flag);
      if (owner !== undefined)
        throw pluginError(key, `its flag --${flag} is also one of ${owner}`, { code: "REFUSED" });
      owners.set(flag, `plugin "${key}"`);
      flags[flag] = toDefinition(flag, definition, name !== "edit" || isNew);
    }
  }
  return flags;
}

const takenBy = (name: string, { definition }: LoadedPlugin): [string, PluginFlag][] =>
  Object.entries(definition.flags ?? {}).filter(([, { commands }]) =>
    commands.includes(name as PluginCommand),
  );

/** Converts a plugin's flag. `edit` does not require again what `PROJECT` already records. */
function toDefinition(
  name: string,
  { pattern, required, prompt, type, summary, placeholder, default: missing, choices }: PluginFlag,
  isAsked: boolean,
): FlagDefinition {
  return {
    type,
    summary,
    ...(placeholder === undefined ? {} : { placeholder }),
    ...(missing === undefined ? {} : { default: missing }),
    ...(choices === undefined ? {} : { choices }),
    ...(isAsked && required !== undefined ? { required } : {}),
    ...(isAsked && prompt !== undefined ? { prompt } : {}),
    check(value) {
      if (!pattern) return;
      if (new RegExp(pattern.source, pattern.flags.replace(/[gy]/u, "")).test(value)) return;
      throw new TsbuilderError(`invalid value "${value}" for --${name}`, {
        code: "INVALID_ARGUMENT",
        hint: `it must match ${pattern.source}: ${summary}`,
      });
    },
  };
}

/** Records in the project's description which plugins it has, and what their flags say. */
async function choose(
  { name, flags, given }: Invocation,
  root: string,
  plugins: readonly ChosenPlugin[],
  project: Project,
  resource: Resource | undefined,
): Promise<{ project: Project; call: PluginCall }> {
  const keys = new Set<string>();
  const uses = new Map(project.plugins.map((use) => [use.key, use]));
  for (const { plugin, isNew } of plugins) {
    const { key } = plugin.definition;
    const use = uses.get(key) ?? newUse(plugin, root);
    const own = takenBy(name, plugin).map(([flag]) => flag);
    const values = pick(
      flags,
      own.filter((flag) => isNew || name !== "edit" || given.has(flag)),
    );
    const isConcerned =
      name === "edit" ? isNew || Object.keys(values).length > 0 : isNew || concerns(use, resource);
    if (plugin.executable !== undefined && isConcerned) keys.add(key);
    if (resource) uses.set(key, forKind(use, resource, values, isNew));
    else
      uses.set(
        key,
        await forProject(plugin, { ...use, isInLayout: use.isInLayout || isNew }, project, values, name),
      );
  }
  const scope = resource ? scopeOf(name === "create webhook" ? "webhook" : "api", resource) : "project";
  const call = { command: name as PluginCommand, args: argumentsOf(flags, given), scope, keys };
  return { project: { ...project, plugins: [...uses.values()] }, call };
}

const concerns = (use: PluginUse, resource: Resource | undefined): boolean =>
  use.isInLayout || use.resources.some((one) => resource !== undefined && isSameResource(one, resource));

/** Returns the given flags as executables get them, without those for tsbuilder's own work. */
function argumentsOf(flags: Invocation["flags"], given: ReadonlySet<string>): string[] {
  const ours = new Set(["plugins", "remove-plugins", "dry-run", "diff", "force", "make", "skip-install"]);
  return [...given]
    .filter((flag) => !ours.has(flag))
    .flatMap((flag) => {
      const value = (flags as PluginOptions)[flag];
      if (typeof value === "boolean") return [value ? `--${flag}` : `--${flag}=false`];
      return [`--${flag}`, Array.isArray(value) ? value.join(",") : String(value)];
    });
}

function newUse({ definition, source, executable }: LoadedPlugin, root: string): PluginUse {
  return {
    key: definition.key,
    isInLayout: false,
    package: executable === undefined ? portable(source, root) : undefined,
    options: {},
    resources: [],
  };
}

/** Writes the path of a plugin's folder relative to the project, since `PROJECT` is shared between machines. */
function portable(source: string, root: string): string {
  if (!isFolder(source)) return source;
  const way = relative(root, resolve(root, source)).split(sep).join("/");
  if (isAbsolute(way)) return source;
  return way.startsWith("..") ? way : `./${way}`;
}

function forKind(use: PluginUse, resource: Resource, values: PluginOptions, isNew: boolean): PluginUse {
  const present = use.resources.find((one) => isSameResource(one, resource));
  const concerns = use.isInLayout || isNew || present !== undefined;
  if (!concerns || (use.isInLayout && !present && Object.keys(values).length === 0)) return use;
  const { group, domain, version, kind } = resource;
  const entry = { group, domain, version, kind, options: { ...present?.options, ...values } };
  return { ...use, resources: [...use.resources.filter((one) => one !== present), entry] };
}

async function forProject(
  { definition }: LoadedPlugin,
  use: PluginUse,
  project: Project,
  values: PluginOptions,
  name: string,
): Promise<PluginUse> {
  const { key, edit } = definition;
  if (name !== "edit" || !edit || Object.keys(values).length === 0)
    return { ...use, options: { ...use.options, ...values } };
  const input = structuredClone({ project, options: use.options, flags: values });
  const options = toOptions(key, await callPlugin(key, "edit()", () => edit(input)));
  const gone = Object.fromEntries(Object.keys(use.options).map((option) => [option, undefined]));
  return { ...use, options: { ...gone, ...options } };
}

function toOptions(key: string, returned: unknown): PluginOptions {
  try {
    const options = JSON.parse(JSON.stringify(returned)) as unknown;
    if (isObject(options)) return options;
  } catch {
    // Not JSON: reported below.
  }
  throw pluginError(key, "edit() must return an object");
}

function pick(flags: Invocation["flags"], names: readonly string[]): PluginOptions {
  const values = names.map((flag) => [flag, (flags as PluginOptions)[flag]] as const);
  return Object.fromEntries(
    values.filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0)),
  );
}
