import { isObject } from "@tsbuilder/apimachinery/json";
import { isAbsolute, relative, resolve, sep } from "node:path";
import type { LoadedPlugin } from "../../plugins/contributed/load-plugin.ts";
import { findPackage, isAllowed, isFolder } from "../../plugins/contributed/load-plugin.ts";
import { findPlugin, ownKeys } from "../../plugins/contributed/choose-plugin.ts";
import type { PluginCall } from "../../plugins/contributed/run-executables.ts";
import type { PluginCommand, PluginFlag } from "../../plugins/contract/define-plugin.ts";
import { loadPluginOfProject } from "../../plugins/contributed/plan-plugins.ts";
import { pluginError } from "../../plugins/contributed/plugin-error.ts";
import { callPlugin, scopeOf } from "../../plugins/contributed/run-plugin.ts";
import { ownPackage } from "../../plugins/optional/index.ts";
import type { PluginOptions, PluginUse, Project, Resource } from "../../project/project.ts";
import { isSameResource } from "../../project/project.ts";
import { parseProject } from "../../project/store.ts";
import { type Command, type FlagDefinition, type Invocation, invalidArgument } from "./command.ts";
import { readFlagWord } from "./command-line.ts";

/** Where a command runs, and for what its flags are needed. */
interface CommandContext {
  readonly root: string;
  /** The text of `PROJECT`; empty without a project. */
  readonly text: string;
  readonly isCompletion: boolean;
  readonly isHelp: boolean;
}

/** Adds the flags of the project's plugins, and of those that `--plugins` names, to a command that plugins take part in. */
export function withPlugins(
  name: PluginCommand,
  command: Command,
  words: readonly string[],
  context: CommandContext,
): Command {
  const plugins = choosePlugins(name, words, context);
  return {
    ...command,
    flags: { ...command.flags, ...listPluginFlags(name, command, plugins) },
    run: (call: Invocation) =>
      command.run({
        ...call,
        plugins: {
          record: (project, resource) => recordPlugins(call, context.root, plugins, project, resource),
        },
      }),
  };
}

/** A plugin that takes part in the command. */
interface ChosenPlugin {
  readonly plugin: LoadedPlugin;
  /** True if `--plugins` names it. */
  readonly isNew: boolean;
}

function choosePlugins(
  name: PluginCommand,
  words: readonly string[],
  { root, text, isCompletion, isHelp }: CommandContext,
): ChosenPlugin[] {
  const recorded = text === "" ? [] : parseProject(text).project.plugins;
  const removed = new Set(readListFlag(words, "--remove-plugins"));
  const kept = recorded
    .filter(({ key }) => !removed.has(key))
    .filter((use) => !(isCompletion || isHelp) || mayRun(use, root, isCompletion))
    .map((use) => loadPluginOfProject(use, root, name));
  const chosen = new Map(kept.map((plugin) => [plugin.definition.key, { plugin, isNew: false }]));
  const typed = isCompletion || isHelp ? [] : readListFlag(words, "--plugins");
  for (const keyOrSource of typed.filter((value) => !ownKeys.has(value))) {
    const plugin =
      kept.find(({ definition, source }) => [definition.key, source].includes(keyOrSource)) ??
      findPlugin(keyOrSource, root, name);
    chosen.set(plugin.definition.key, { plugin, isNew: true });
  }
  return [...chosen.values()];
}

/** Reads the values of a list flag, before the flags of the command are known. */
function readListFlag(words: readonly string[], flag: string): string[] {
  return words
    .flatMap((word, i) => {
      const read = readFlagWord(word);
      return read?.flag === flag ? [read.value ?? words[i + 1] ?? ""] : [];
    })
    .flatMap((value) => value.split(","))
    .filter((value) => value !== "");
}

/** Returns whether completion or `--help` may run a plugin: in a project that was only cloned, no code of it runs. */
function mayRun({ package: source }: PluginUse, root: string, isCompletion: boolean): boolean {
  if (source === undefined) return !isCompletion;
  const found = source === ownPackage ? undefined : findPackage(source, root);
  return found === undefined || isAllowed(found);
}

/** Returns the definitions of all flags that plugins add to a command. Throws if two have the same name. */
function listPluginFlags(
  name: PluginCommand,
  command: Command,
  plugins: readonly ChosenPlugin[],
): Record<string, FlagDefinition> {
  const owners = new Map<string, string>();
  const flags: Record<string, FlagDefinition> = {};
  for (const { plugin, isNew } of plugins) {
    const { key } = plugin.definition;
    for (const [flag, definition] of flagsOfCommand(name, plugin)) {
      const owner = Object.hasOwn(command.flags, flag) ? "tsbuilder" : owners.get(flag);
      if (owner !== undefined)
        throw pluginError(key, `its flag --${flag} is also one of ${owner}`, { code: "REFUSED" });
      owners.set(flag, `plugin "${key}"`);
      flags[flag] = toDefinition(flag, definition, name !== "edit" || isNew);
    }
  }
  return flags;
}

/** The flags of a plugin that a command takes. */
function flagsOfCommand(name: PluginCommand, { definition }: LoadedPlugin): [string, PluginFlag][] {
  return Object.entries(definition.flags ?? {}).filter(([, { commands }]) => commands.includes(name));
}

/** Converts a plugin's flag. `edit` does not require again what `PROJECT` already records. */
function toDefinition(
  name: string,
  { pattern, required, prompt, type, summary, placeholder, default: fallback, choices }: PluginFlag,
  isAsked: boolean,
): FlagDefinition {
  return {
    type,
    summary,
    ...(placeholder === undefined ? {} : { placeholder }),
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(choices === undefined ? {} : { choices }),
    ...(isAsked && required !== undefined ? { required } : {}),
    ...(isAsked && prompt !== undefined ? { prompt } : {}),
    check(value) {
      if (!pattern) return;
      if (new RegExp(pattern.source, pattern.flags.replace(/[gy]/u, "")).test(value)) return;
      throw invalidArgument(
        `invalid value "${value}" for --${name}`,
        `it must match ${pattern.source}: ${summary}`,
      );
    },
  };
}

/**
 * Records in the project's description which plugins it has, and the values of their flags. Also returns the call of the
 * executable plugins that the command concerns: the new ones, and those whose flags or kinds it changes.
 */
async function recordPlugins(
  { name: commandName, flags, given }: Invocation,
  root: string,
  plugins: readonly ChosenPlugin[],
  project: Project,
  resource: Resource | undefined,
): Promise<{ project: Project; call: PluginCall }> {
  const name = commandName as PluginCommand;
  const keys = new Set<string>();
  const uses = new Map(project.plugins.map((use) => [use.key, use]));
  for (const { plugin, isNew } of plugins) {
    const { key } = plugin.definition;
    const use = uses.get(key) ?? newUse(plugin, root);
    const names = flagsOfCommand(name, plugin).map(([flag]) => flag);
    const recorded = names.filter((flag) => isNew || name !== "edit" || given.has(flag));
    const values = pickValues(flags, recorded);
    const isChanged = name === "edit" ? Object.keys(values).length > 0 : appliesTo(use, resource);
    if (plugin.executable !== undefined && (isNew || isChanged)) keys.add(key);
    const inLayout = { ...use, isInLayout: use.isInLayout || isNew };
    const changed = resource
      ? recordForKind(use, resource, values, isNew)
      : await recordForProject(plugin, inLayout, project, values, name);
    uses.set(key, changed);
  }
  const scope = resource ? scopeOf(name === "create webhook" ? "webhook" : "api", resource) : "project";
  const call = { command: name, args: formatArguments(flags, given), scope, keys };
  return { project: { ...project, plugins: [...uses.values()] }, call };
}

/** Returns the entry of `PROJECT` for a plugin that it does not have yet. */
function newUse({ definition, source, executable }: LoadedPlugin, root: string): PluginUse {
  return {
    key: definition.key,
    isInLayout: false,
    package: executable === undefined ? portableSource(source, root) : undefined,
    options: {},
    resources: [],
  };
}

/** Writes the path of a plugin's folder relative to the project, since `PROJECT` is shared between machines. */
function portableSource(source: string, root: string): string {
  if (!isFolder(source)) return source;
  const path = relative(root, resolve(root, source)).split(sep).join("/");
  if (isAbsolute(path)) return source;
  return path.startsWith("..") ? path : `./${path}`;
}

function pickValues(flags: Invocation["flags"], names: readonly string[]): PluginOptions {
  const values = names.map((flag) => [flag, (flags as PluginOptions)[flag]] as const);
  return Object.fromEntries(
    values.filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0)),
  );
}

/** Returns whether a plugin takes part for all kinds, or for this one. */
function appliesTo({ isInLayout, resources }: PluginUse, resource: Resource | undefined): boolean {
  return isInLayout || resources.some((entry) => resource !== undefined && isSameResource(entry, resource));
}

/** Returns a plugin's entry with the values of flags for one kind. */
function recordForKind(use: PluginUse, resource: Resource, values: PluginOptions, isNew: boolean): PluginUse {
  const present = use.resources.find((entry) => isSameResource(entry, resource));
  if (!isNew && !appliesTo(use, resource)) return use;
  // A plugin of all kinds gets an entry for a kind only with options for it.
  if (use.isInLayout && !present && Object.keys(values).length === 0) return use;
  const { group, domain, version, kind } = resource;
  const entry = { group, domain, version, kind, options: { ...present?.options, ...values } };
  return { ...use, resources: [...use.resources.filter((other) => other !== present), entry] };
}

/** Returns a plugin's entry with the values of flags for the whole project, which `edit()` of the plugin may change. */
async function recordForProject(
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
  // Options that edit() doesn't return are removed.
  const removed = Object.fromEntries(Object.keys(use.options).map((option) => [option, undefined]));
  return { ...use, options: { ...removed, ...options } };
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

/** Returns the given flags as executables get them, without those for tsbuilder's own work. */
function formatArguments(flags: Invocation["flags"], given: ReadonlySet<string>): string[] {
  const ownFlags = new Set(["plugins", "remove-plugins", "dry-run", "diff", "force", "make", "skip-install"]);
  return [...given]
    .filter((flag) => !ownFlags.has(flag))
    .flatMap((flag) => {
      const value = (flags as PluginOptions)[flag];
      if (typeof value === "boolean") return [value ? `--${flag}` : `--${flag}=false`];
      return [`--${flag}`, Array.isArray(value) ? value.join(",") : String(value)];
    });
}
