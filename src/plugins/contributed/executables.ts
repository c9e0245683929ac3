// Plugins that are programs and speak kubebuilder's protocol: how one is called, found, and takes part in a command.

import { spawnSync } from "node:child_process";
import { dirname, isAbsolute, join, parse } from "node:path";
import { accessSync, constants, existsSync, readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { isObject } from "@tsbuilder/apimachinery/json";
import { shorten } from "../../shared/text.ts";
import { toolPath } from "../../shared/tool-path.ts";
import { pluginError } from "./plugin-error.ts";
import type { PluginUse, Project } from "../../project/project.ts";
import type { Draft, Tree } from "../../scaffold/tree.ts";
import type { ExecutableCall, PluginRecord, ScopedContribution, TextEdit } from "./plugin-record.ts";
import { scopesOf } from "./run-plugin.ts";
import { pluginKey, toRecord } from "../../project/store.ts";
import { mergeTexts } from "../../scaffold/merge.ts";
import type { OwnedFiles } from "../../scaffold/plan.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { checkSize } from "./check-contribution.ts";
import { checkContributedPath } from "./contributed-path.ts";
import { foldersOf, refuseLinks } from "./refuse-foreign.ts";
import type { PluginCommand, PluginFlag } from "../contract/define-plugin.ts";
import type { LoadedPlugin } from "./load-plugin.ts";

/** A request of kubebuilder's protocol to an executable. */
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

export interface ExecutableResponse {
  readonly universe: Readonly<Record<string, string>>;
  readonly flags: readonly ExecutableFlag[];
  readonly description: string;
  /** The lines that it wrote to standard error. */
  readonly notes: string;
}

export interface ExecutableLimits {
  readonly milliseconds: number;
  readonly bytes: number;
}

const apiVersion = "v1alpha1";

const defaultLimits: ExecutableLimits = { milliseconds: 60_000, bytes: 64 * 1024 * 1024 };

/** Runs an executable in a folder, with a request on its standard input, and reads its response. */
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
  const failed = (what: string): Error =>
    pluginError(key, `"${file}" ${what} at ${request.command}`, {
      code: "TOOL_FAILED",
      hint: lastLines(stderr) || "run it by hand with a request on its standard input",
    });
  const code = (error as { readonly code?: string } | undefined)?.code;
  if (code === "ETIMEDOUT") throw failed(`took longer than ${limits.milliseconds / 1000} s`);
  if (code === "ENOBUFS") throw failed(`wrote more than ${limits.bytes} bytes`);
  // An executable may be right although it does not read its input to the end.
  if (error && code !== "EPIPE") throw failed(`could not be run (${code ?? error.message})`);
  if (status !== 0) throw failed(signal ? `was ended by ${signal}` : `exited with ${status}`);
  return readResponse(key, file, request.command, stdout, stderr);
}

function readResponse(
  key: string,
  file: string,
  command: string,
  stdout: string,
  stderr: string,
): ExecutableResponse {
  const wrong = (what: string): Error =>
    pluginError(key, `"${file}" responded to ${command} with ${what}`, {
      hint: "its standard output must be one PluginResponse in JSON; logs go to standard error",
    });
  const value = parseResponse(stdout);
  if (!isObject(value))
    throw wrong(stdout.trim() === "" ? "nothing" : `no JSON object: ${shorten(stdout.trim())}`);
  const { error, errorMsgs, universe, flags, metadata } = value;
  if (value["apiVersion"] !== undefined && value["apiVersion"] !== apiVersion)
    throw wrong(`the apiVersion ${JSON.stringify(value["apiVersion"])} instead of ${apiVersion}`);
  if (error === true) {
    const messages = Array.isArray(errorMsgs) ? errorMsgs.map(String).join("; ") : "";
    throw pluginError(key, `${command} failed: ${messages || "without a message"}`, {
      code: "TOOL_FAILED",
      hint: lastLines(stderr) || "nothing was written",
    });
  }
  const files = universe ?? {};
  if (!isObject(files) || !Object.values(files).every((text) => typeof text === "string"))
    throw wrong("a universe that is not texts by path");
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
  const [type, given, usage] = ["type", "default", "usage"].map((field) => textOf(value, field));
  return /^[a-z][\w-]*$/u.test(name) ? [{ name, type: type!, default: given!, usage: usage! }] : [];
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
function requireExecutable(key: string): string {
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

/** A command in which executable plugins take part. Their protocol has commands, and no descriptions of projects. */
export interface PluginCall extends ExecutableCall {
  readonly scope: string;
  /** The keys of the executables that the command concerns. */
  readonly keys: ReadonlySet<string>;
}

interface Running {
  readonly root: string;
  readonly project: Project;
  readonly call?: PluginCall | undefined;
  /** The project is scaffolded into an empty folder. */
  readonly isAnew: boolean;
}

/**
 * Has executables run the command. For a project that is scaffolded into an empty folder, repeats all recorded
 * commands.
 */
export function runExecutables(
  draft: Draft,
  before: readonly PluginRecord[],
  records: readonly PluginRecord[],
  { root, project, call, isAnew }: Running,
): { records: PluginRecord[]; notes: string[]; edited: Map<string, string> } {
  const finished = new Map(records.map((record) => [record.key, record]));
  const notes: string[] = [];
  const edited = new Map<string, string>();
  for (const use of project.plugins.filter((one) => one.package === undefined)) {
    for (const { scope, ...one } of isAnew ? recordedCalls(before, use, project) : callsFor(use, call)) {
      const record = finished.get(use.key)!;
      const present = record.contributions.find((contribution) => contribution.scope === scope);
      const own = new Set((present?.files ?? []).map(({ path }) => path));
      const done = runExecutable(use.key, one, scope, { root, draft, project, own });
      const made = new Set([...finished.values()].flatMap(pathsOf));
      for (const { path, before: text } of done.contribution.edits ?? [])
        if (!made.has(path) && !edited.has(path)) edited.set(path, text);
      if (done.notes !== "") notes.push(done.notes);
      finished.set(use.key, addContribution(record, present, done.contribution));
    }
  }
  return { records: [...finished.values()], notes, edited };
}

const callsFor = (use: PluginUse, call: PluginCall | undefined) =>
  call?.keys.has(use.key) ? [{ scope: call.scope, command: call.command, args: call.args }] : [];

function recordedCalls(before: readonly PluginRecord[], use: PluginUse, project: Project) {
  const scopes = scopesOf(use, project);
  const contributions = before.find(({ key }) => key === use.key)?.contributions ?? [];
  return contributions
    .filter(({ scope }) => scopes.has(scope))
    .flatMap(({ scope, calls = [] }) => calls.map((call) => ({ scope, ...call })));
}

function addContribution(
  record: PluginRecord,
  present: ScopedContribution | undefined,
  added: ScopedContribution,
): PluginRecord {
  const paths = new Set(added.files.map(({ path }) => path));
  const joined: ScopedContribution = {
    scope: added.scope,
    files: [...(present?.files ?? []).filter(({ path }) => !paths.has(path)), ...added.files],
    inserts: [],
    edits: [...(present?.edits ?? []), ...(added.edits ?? [])],
    calls: [...(present?.calls ?? []), ...(added.calls ?? [])],
  };
  return { ...record, contributions: [...record.contributions.filter((one) => one !== present), joined] };
}

const pathsOf = ({ contributions }: PluginRecord): string[] =>
  contributions.flatMap(({ files }) => files.map(({ path }) => path));

/**
 * Has an executable change the files of a draft, as kubebuilder has it change files on disk. Records the edits for the
 * project or the kind, since the protocol has no command that reverts them.
 */
function runExecutable(
  key: string,
  call: ExecutableCall,
  scope: string,
  { root, draft, project, own }: { root: string; draft: Draft; project: Project; own: ReadonlySet<string> },
): { contribution: ScopedContribution; notes: string } {
  const universe = Object.fromEntries(draft.list(".").map((path) => [path, draft.read(path) ?? ""]));
  const chain = project.plugins.filter(({ isInLayout }) => isInLayout).map((use) => use.key);
  const config = JSON.parse(JSON.stringify(toRecord(project))) as Record<string, unknown>;
  const request = { ...call, universe, pluginChain: [pluginKey, ...chain], config };
  const response = callExecutable(key, requireExecutable(key), request, root);
  const changed = Object.entries(response.universe).filter(([path, text]) => universe[path] !== text);
  checkSize(
    key,
    call.command,
    changed.map(([, text]) => text),
  );
  const files: ScopedContribution["files"][number][] = [];
  const edits: TextEdit[] = [];
  for (const [path, text] of changed) {
    checkPlace(key, path, draft, root);
    const before = Object.hasOwn(universe, path) ? universe[path]! : undefined;
    if (before === undefined && draft.has(path) && draft.read(path) !== text) throw hidden(key, path);
    if (before === undefined || own.has(path))
      files.push({ id: path, path, content: text, ownership: "yours" });
    else edits.push({ path, before, after: text });
    draft.write(path, text);
  }
  return { contribution: { scope, files, inserts: [], edits, calls: [call] }, notes: response.notes };
}

function checkPlace(key: string, path: string, draft: Tree, root: string): void {
  checkContributedPath(key, path);
  const file = foldersOf(path).find((folder) => draft.has(folder) && draft.list(folder).length === 0);
  if (file !== undefined)
    throw pluginError(key, `"${path}" is below "${file}", which is a file`, { code: "REFUSED" });
  if (draft.list(path).length > 0) throw pluginError(key, `"${path}" is a folder`, { code: "REFUSED" });
  refuseLinks(key, root, [path]);
}

function hidden(key: string, path: string): Error {
  return pluginError(key, `"${path}" exists, and its content was not passed to the plugin`, {
    code: "REFUSED",
    hint: "files in hidden folders, dist and vendor are no part of the universe",
  });
}

/** Repeats recorded edits, in a project that is scaffolded into an empty folder. */
export function repeatEdits(draft: Draft, edits: readonly TextEdit[]): void {
  for (const { path, before, after } of edits) {
    const text = draft.read(path);
    const merged = text === undefined ? undefined : mergeTexts(before, after, text);
    if (merged !== undefined) draft.write(path, merged);
  }
}

/** Returns the record of an executable without the parts of the project that are gone. */
export function keptRecord(before: readonly PluginRecord[], use: PluginUse, project: Project): PluginRecord {
  const { contributions = [] } = before.find(({ key }) => key === use.key) ?? {};
  const scopes = scopesOf(use, project);
  return { key: use.key, version: "", contributions: contributions.filter(({ scope }) => scopes.has(scope)) };
}

interface Reverting {
  readonly owned: OwnedFiles;
  readonly force: boolean;
  readonly keep: boolean;
}

/** Reverts the edits of executables for parts of the project that are gone. */
export function revertDropped(
  draft: Draft,
  before: readonly PluginRecord[],
  records: readonly PluginRecord[],
  options: Reverting,
): string[] {
  return before.toReversed().flatMap(({ key, contributions }) => {
    const kept = records.find((record) => record.key === key)?.contributions ?? [];
    const dropped = contributions.filter(({ scope }) => !kept.some((one) => one.scope === scope));
    return revertEdits(
      key,
      draft,
      dropped.flatMap(({ edits = [] }) => edits),
      options,
    );
  });
}

/** Reverts edits, last one first, in texts that the user may have changed since. */
function revertEdits(
  key: string,
  draft: Draft,
  edits: readonly TextEdit[],
  { owned, force, keep }: Reverting,
): string[] {
  const notes: string[] = [];
  for (const { path, before, after } of edits.toReversed()) {
    const text = draft.read(path);
    if (text === undefined) continue;
    const reverted = mergeTexts(after, before, text);
    if (reverted !== undefined) {
      draft.write(path, reverted);
      owned.carry(path, path, text, reverted);
    } else if (force || keep)
      notes.push(`kept what plugin "${key}" wrote into "${path}": you edited it since`);
    else {
      throw new TsbuilderError(`you edited what plugin "${key}" wrote into "${path}"`, {
        code: "FILE_CHANGED",
        hint: "take it out by hand, or add --keep to keep it",
        at: { file: path, line: 1, column: 1 },
      });
    }
  }
  return notes;
}
