// Plugins that are programs and speak kubebuilder's protocol: how one is called, found and loaded. `run-executables.ts` has
// them take part in a command.

import { spawnSync } from "node:child_process";
import { dirname, isAbsolute, join, parse } from "node:path";
import { accessSync, constants, existsSync, readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { isObject } from "@tsbuilder/apimachinery/json";
import { shorten } from "../../shared/text.ts";
import { toolPath } from "../../shared/tool-path.ts";
import { pluginError } from "./plugin-error.ts";
import type { PluginCommand, PluginFlag } from "../contract/define-plugin.ts";
import type { LoadedPlugin } from "./load-plugin.ts";

/** A request to an executable: `PluginRequest` of kubebuilder's protocol. */
export interface ExecutableRequest {
  readonly command: "init" | "create api" | "create webhook" | "edit" | "flags" | "metadata";
  readonly args: readonly string[];
  /** The texts of the project's files, by path. */
  readonly universe: Readonly<Record<string, string>>;
  /** The keys of the project's plugins, in their order. */
  readonly pluginChain?: readonly string[];
  /** `PROJECT`. */
  readonly config?: Readonly<Record<string, unknown>>;
}

interface ExecutableFlag {
  readonly name: string;
  readonly type: string;
  readonly default: string;
  readonly usage: string;
}

/** The response of an executable: `PluginResponse` of kubebuilder's protocol. */
export interface ExecutableResponse {
  readonly universe: Readonly<Record<string, string>>;
  readonly flags: readonly ExecutableFlag[];
  readonly description: string;
  /** The last lines that it wrote to standard error. */
  readonly notes: string;
}

export interface ExecutableLimits {
  readonly milliseconds: number;
  readonly bytes: number;
}

const apiVersion = "v1alpha1";
const defaultLimits: ExecutableLimits = { milliseconds: 60_000, bytes: 64 * 1024 * 1024 };

/** Runs an executable with a request on its standard input. Throws a TsbuilderError for anything but a response. */
export function callExecutable(
  key: string,
  file: string,
  request: ExecutableRequest,
  folder: string,
  limits = defaultLimits,
): ExecutableResponse {
  const { status, signal, error, stdout, stderr } = spawnSync(file, [], {
    cwd: folder,
    env: { ...process.env, PATH: toolPath() },
    input: JSON.stringify({ apiVersion, ...request }),
    encoding: "utf8",
    timeout: limits.milliseconds,
    killSignal: "SIGKILL",
    maxBuffer: limits.bytes,
  });
  const failure = (what: string): Error =>
    pluginError(key, `"${file}" ${what} at ${request.command}`, {
      code: "TOOL_FAILED",
      hint: lastLines(stderr) || "run it by hand with a request on its standard input",
    });
  const code = (error as { readonly code?: string } | undefined)?.code;
  if (code === "ETIMEDOUT") throw failure(`took longer than ${limits.milliseconds / 1000} s`);
  if (code === "ENOBUFS") throw failure(`wrote more than ${limits.bytes} bytes`);
  // An executable may be right although it does not read its input to the end.
  if (error && code !== "EPIPE") throw failure(`could not be run (${code ?? error.message})`);
  if (status !== 0) throw failure(signal ? `was ended by ${signal}` : `exited with ${status}`);
  return readResponse(key, file, request.command, stdout, stderr);
}

function readResponse(
  key: string,
  file: string,
  command: string,
  stdout: string,
  stderr: string,
): ExecutableResponse {
  const invalid = (what: string): Error =>
    pluginError(key, `"${file}" responded to ${command} with ${what}`, {
      hint: "its standard output must be one PluginResponse in JSON; logs go to standard error",
    });
  const value = parseResponse(stdout);
  if (!isObject(value))
    throw invalid(stdout.trim() === "" ? "nothing" : `no JSON object: ${shorten(stdout.trim())}`);
  const { error, errorMsgs, universe, flags, metadata } = value;
  if (value["apiVersion"] !== undefined && value["apiVersion"] !== apiVersion)
    throw invalid(`the apiVersion ${JSON.stringify(value["apiVersion"])} instead of ${apiVersion}`);
  if (error === true) {
    const messages = Array.isArray(errorMsgs) ? errorMsgs.map(String).join("; ") : "";
    throw pluginError(key, `${command} failed: ${messages || "without a message"}`, {
      code: "TOOL_FAILED",
      hint: lastLines(stderr) || "nothing was written",
    });
  }
  const files = universe ?? {};
  if (!isObject(files) || !Object.values(files).every((text) => typeof text === "string"))
    throw invalid("a universe that is not texts by path");
  return {
    universe: files as Record<string, string>,
    flags: Array.isArray(flags) ? flags.flatMap(readFlag) : [],
    description: isObject(metadata) ? textOf(metadata, "description") : "",
    notes: lastLines(stderr),
  };
}

function readFlag(value: unknown): ExecutableFlag[] {
  if (!isObject(value)) return [];
  const name = textOf(value, "name");
  const [type, defaultValue, usage] = ["type", "default", "usage"].map((field) => textOf(value, field));
  return /^[a-z][\w-]*$/u.test(name) ? [{ name, type: type!, default: defaultValue!, usage: usage! }] : [];
}

/** Reads a string. Go ignores the case of keys, so plugins write them in any. */
function textOf(value: Readonly<Record<string, unknown>>, name: string): string {
  const [, found] = Object.entries(value).find(([key]) => key.toLowerCase() === name) ?? [];
  return typeof found === "string" ? found : "";
}

function parseResponse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const lastLines = (text: string | null): string => (text ?? "").trim().split("\n").slice(-5).join("\n");

/** The protocol's names for the commands, in requests for flags and help. */
const subcommands: Readonly<Record<PluginCommand, string>> = {
  init: "--init",
  "create api": "--api",
  "create webhook": "--webhook",
  edit: "--edit",
};

/** Flags that tsbuilder has itself, and reads before plugins are loaded. */
const reservedFlags = new Set(["help", "group", "version", "kind", "plugins"]);

/**
 * Loads an executable that speaks kubebuilder's protocol: for a command with its flags for that, otherwise with its
 * description. Throws a TsbuilderError if it is not installed, or does not respond.
 */
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
        flags
          .filter(({ name }) => !reservedFlags.has(name))
          .map((flag) => [flag.name, toFlag(flag, command!)]),
      ),
    },
    source: key,
    found: { name: key, version: "", folder: dirname(executable), entry: executable },
    executable,
  };
}

/** Converts a flag of Go's pflag, whose default is a text; an empty text is none. */
function toFlag({ type, default: defaultValue, usage }: ExecutableFlag, command: PluginCommand): PluginFlag {
  const flag = { summary: usage, commands: [command] };
  if (type === "bool")
    return { ...flag, type: "boolean", ...(/^(?:true|t|1)$/iu.test(defaultValue) ? { default: true } : {}) };
  if (type === "int")
    return { ...flag, type: "string", pattern: /^[-+]?\d+$/u, ...withDefault(defaultValue) };
  if (type === "float")
    return {
      ...flag,
      type: "string",
      pattern: /^[-+]?[\d.]+(?:e[-+]?\d+)?$/iu,
      ...withDefault(defaultValue),
    };
  return { ...flag, type: "string", ...withDefault(defaultValue) };
}

const withDefault = (value: string): { default?: string } => (value === "" ? {} : { default: value });

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

/** Finds the executable of a key; undefined if none is installed, or it may not be executed. */
export function findExecutable(key: string, folder = executableFolder()): string | undefined {
  const [name = "", version = ""] = key.split("/");
  const versionFolder = join(folder, name, version);
  const file = list(versionFolder).find((entry) => parse(entry).name === name || entry === name);
  return file !== undefined && isExecutable(join(versionFolder, file))
    ? join(versionFolder, file)
    : undefined;
}

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
  const { EXTERNAL_PLUGINS_PATH: pluginsPath, XDG_CONFIG_HOME: config } = env;
  // A relative path would be below the current folder, which may be a clone.
  if (pluginsPath && isAbsolute(pluginsPath)) return pluginsPath;
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
