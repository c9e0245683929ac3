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
import { TsbuilderError } from "../../shared/errors.ts";
import type { Command, FlagDefinition, Invocation } from "./command.ts";
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
    flags: { ...command.flags, ...flagsOf(name, command, plugins) },
    run: (call: Invocation) =>
      command.run({
        ...call,
        plugins: { choose: (project, resource) => record(call, context.root, plugins, project, resource) },
      }),
  };
}

interface ChosenPlugin {
  readonly plugin: LoadedPlugin;
  /** Named by `--plugins`. */
  readonly isNew: boolean;
}

function choosePlugins(
  name: PluginCommand,
  words: readonly string[],
  { root, text, isCompletion, isHelp }: CommandContext,
): ChosenPlugin[] {
  const recorded = text === "" ? [] : parseProject(text).project.plugins;
  const removed = new Set(valuesOf(words, "--remove-plugins"));
  const present = recorded
    .filter(({ key }) => !removed.has(key))
    .filter((use) => !(isCompletion || isHelp) || mayRun(use, root, isCompletion))
    .map((use) => loadPluginOfProject(use, root, name));
  const chosen = new Map(present.map((plugin) => [plugin.definition.key, { plugin, isNew: false }]));
  const named = isCompletion || isHelp ? [] : valuesOf(words, "--plugins");
  for (const value of named.filter((one) => !ownKeys.has(one))) {
    const known = present.find(({ definition, source }) => [definition.key, source].includes(value));
    const plugin = known ?? findPlugin(value, root, name);
    chosen.set(plugin.definition.key, { plugin, isNew: true });
  }
  return [...chosen.values()];
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

/** Returns whether completion or `--help` may run a plugin: in a project that was only cloned, no code of it runs. */
function mayRun({ package: source }: PluginUse, root: string, isCompletion: boolean): boolean {
  if (source === undefined) return !isCompletion;
  const found = source === ownPackage ? undefined : findPackage(source, root);
  return found === undefined || isAllowed(found);
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
    for (const [flag, definition] of flagsFor(name, plugin)) {
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
function flagsFor(name: PluginCommand, { definition }: LoadedPlugin): [string, PluginFlag][] {
  return Object.entries(definition.flags ?? {}).filter(([, { commands }]) => commands.includes(name));
}

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

/**
 * Records in the project's description which plugins it has, and the values of their flags. Also returns the call of the
 * executable plugins that the command concerns: the new ones, and those whose flags or kinds it changes.
 */
async function record(
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
    const names = flagsFor(name, plugin).map(([flag]) => flag);
    const recorded = names.filter((flag) => isNew || name !== "edit" || given.has(flag));
    const values = pick(flags, recorded);
    const isChanged = name === "edit" ? Object.keys(values).length > 0 : concerns(use, resource);
    const isConcerned = isNew || isChanged;
    if (plugin.executable !== undefined && isConcerned) keys.add(key);
    const ofProject = { ...use, isInLayout: use.isInLayout || isNew };
    const changed = resource
      ? forKind(use, resource, values, isNew)
      : await forProject(plugin, ofProject, project, values, name);
    uses.set(key, changed);
  }
  const scope = resource ? scopeOf(name === "create webhook" ? "webhook" : "api", resource) : "project";
  const call = { command: name, args: argumentsOf(flags, given), scope, keys };
  return { project: { ...project, plugins: [...uses.values()] }, call };
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
  const path = relative(root, resolve(root, source)).split(sep).join("/");
  if (isAbsolute(path)) return source;
  return path.startsWith("..") ? path : `./${path}`;
}

function pick(flags: Invocation["flags"], names: readonly string[]): PluginOptions {
  const values = names.map((flag) => [flag, (flags as PluginOptions)[flag]] as const);
  return Object.fromEntries(
    values.filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0)),
  );
}

/** Returns whether a plugin takes part for all kinds, or for this one. */
function concerns(use: PluginUse, resource: Resource | undefined): boolean {
  return (
    use.isInLayout || use.resources.some((one) => resource !== undefined && isSameResource(one, resource))
  );
}

function forKind(use: PluginUse, resource: Resource, values: PluginOptions, isNew: boolean): PluginUse {
  const present = use.resources.find((one) => isSameResource(one, resource));
  if (!isNew && !concerns(use, resource)) return use;
  // A plugin of all kinds gets an entry for a kind only with options for it.
  if (use.isInLayout && !present && Object.keys(values).length === 0) return use;
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
  // Options that edit() doesn't return are removed.
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
