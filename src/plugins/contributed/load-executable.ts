import { dirname, isAbsolute, join, parse } from "node:path";
import { accessSync, constants, existsSync, readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { type ExecutableFlag, callExecutable } from "./call-executable.ts";
import type { PluginCommand, PluginFlag } from "../contract/define-plugin.ts";
import type { LoadedPlugin } from "./load-plugin.ts";
import { pluginError } from "./plugin-error.ts";

/** Loads an executable that speaks kubebuilder's protocol, with its flags for a command. */
export function loadExecutable(key: string, root: string, command?: PluginCommand): LoadedPlugin {
  const executable = requireExecutable(key);
  const ask = (question: "flags" | "metadata", subcommand: PluginCommand) =>
    callExecutable(
      key,
      executable,
      { command: question, args: [subcommands[subcommand]], universe: {} },
      root,
    );
  const flags = command === undefined ? [] : ask("flags", command).flags;
  return {
    definition: {
      key,
      summary: command === undefined ? ask("metadata", "init").description.trim() : "",
      flags: Object.fromEntries(
        flags.filter(({ name }) => !ownFlags.has(name)).map((flag) => [flag.name, toFlag(flag, command!)]),
      ),
    },
    source: key,
    found: { name: key, version: "", folder: dirname(executable), entry: executable },
    executable,
  };
}

/** The protocol's names for the commands, in requests for flags and help. */
const subcommands: Readonly<Record<PluginCommand, string>> = {
  init: "--init",
  "create api": "--api",
  "create webhook": "--webhook",
  edit: "--edit",
};

/** Flags that tsbuilder itself reads. */
const ownFlags = new Set(["help", "group", "version", "kind", "plugins"]);

function toFlag({ type, default: given, usage }: ExecutableFlag, command: PluginCommand): PluginFlag {
  const flag = { summary: usage, commands: [command] };
  if (type === "bool")
    return { ...flag, type: "boolean", ...(/^(?:true|t|1)$/iu.test(given) ? { default: true } : {}) };
  if (type === "int") return { ...flag, type: "string", pattern: /^[-+]?\d+$/u, ...withDefault(given) };
  if (type === "float")
    return { ...flag, type: "string", pattern: /^[-+]?[\d.]+(?:e[-+]?\d+)?$/iu, ...withDefault(given) };
  return { ...flag, type: "string", ...withDefault(given) };
}

const withDefault = (given: string): { default?: string } => (given === "" ? {} : { default: given });

/** Finds the executable of a key; throws an error that names the expected path. */
export function requireExecutable(key: string): string {
  const executable = findExecutable(key);
  if (executable !== undefined) return executable;
  const [name = ""] = key.split("/");
  throw pluginError(key, "it is not installed", {
    code: "NOT_FOUND",
    hint: `PROJECT names no package for it, and there is no executable "${name}" in "${executableFolder()}/${key}"; to do without it: tsbuilder edit --remove-plugins ${key}`,
  });
}

/** Finds the executable of a key. */
export function findExecutable(key: string, folder = executableFolder()): string | undefined {
  const [name = "", version = ""] = key.split("/");
  const place = join(folder, name, version);
  const file = list(place).find((one) => parse(one).name === name || one === name);
  return file !== undefined && isExecutable(join(place, file)) ? join(place, file) : undefined;
}

/** Lists the keys of all installed executables. */
export function listExecutables(folder = executableFolder()): string[] {
  return list(folder)
    .flatMap((name) => list(join(folder, name)).map((version) => `${name}/${version}`))
    .filter((key) => findExecutable(key, folder) !== undefined);
}

/** Returns the folder in which kubebuilder looks for executable plugins: `NAME/VERSION/NAME`, with any extension. */
export function executableFolder(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  const { EXTERNAL_PLUGINS_PATH: own, XDG_CONFIG_HOME: config } = env;
  // A relative path would be below the current folder, which may be a clone.
  if (own && isAbsolute(own)) return own;
  if (config && isAbsolute(config)) return join(config, "kubebuilder", "plugins");
  const home = env["HOME"] || homedir();
  return platform === "darwin"
    ? join(home, "Library", "Application Support", "kubebuilder", "plugins")
    : join(home, ".config", "kubebuilder", "plugins");
}

const list = (folder: string): string[] =>
  existsSync(folder) && statSync(folder).isDirectory() ? readdirSync(folder).sort() : [];

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
