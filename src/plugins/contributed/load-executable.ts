import { dirname } from "node:path";
import { callExecutable, type ExecutableFlag } from "./call-executable.ts";
import type { PluginCommand, PluginFlag } from "./define-plugin.ts";
import { executableFolder, findExecutable } from "./find-executable.ts";
import type { LoadedPlugin } from "./load-plugin.ts";
import { pluginError } from "./plugin-error.ts";

/** The protocol's names for the commands, in requests for flags and help. */
const subcommands: Readonly<Record<PluginCommand, string>> = {
  init: "--init",
  "create api": "--api",
  "create webhook": "--webhook",
  edit: "--edit",
};

/** Flags that tsbuilder itself reads. */
const ownFlags = new Set(["help", "group", "version", "kind", "plugins"]);

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
