// A command line before its command parses it: the flags of all commands (`--verbose`, `--output`, `--help`), the flags that
// plugins and the environment add, and hints for words that name no command.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Command, type CommandEntry, type FlagDefinitions, invalidArgument } from "./command.ts";
import { didYouMean, listWords } from "../../shared/text.ts";
import type { PluginCommand } from "../../plugins/contract/define-plugin.ts";
import { mayHavePlugins } from "../../project/project.ts";
import { findProjectRoot, projectFile } from "../../project/store.ts";

/** A word of the command line that is a flag, with the value that it contains: `--kind=Order`, `-o`. */
export interface FlagWord {
  /** With its dashes. */
  readonly flag: string;
  readonly value: string | undefined;
}

/** Reads a word; undefined if it is not a flag. */
export function readFlagWord(word: string): FlagWord | undefined {
  const [, flag, value] = /^(--?[^=-][^=]*)(?:=(.*))?$/su.exec(word) ?? [];
  return flag === undefined ? undefined : { flag, value };
}

/** Returns whether one of these flags is among the words. */
export function isTyped(words: readonly string[], ...flags: readonly string[]): boolean {
  return words.some((word) => flags.includes(readFlagWord(word)?.flag ?? ""));
}

export const verboseFlag = "--verbose";

export const verboseSummary =
  "say which programs run and which files are written, and print the stack of errors";

/** Removes `--verbose` from a command line. */
export function takeVerbose(argv: readonly string[]): { rest: string[]; isVerbose: boolean } {
  const end = separatorIndex(argv);
  const rest = argv.filter((word, i) => i >= end || word !== verboseFlag);
  return { rest, isVerbose: rest.length < argv.length };
}

export const formatSummary = "output format: text, or json for programs";

/** The flags that choose the format; some commands write to the file or folder that `--output` names. */
export function formatFlags({ flags, streams = false }: Pick<Command, "flags" | "streams">): string[] {
  if (streams || Object.values(flags).some(({ short }) => short === "o")) return [];
  return Object.hasOwn(flags, "output") ? ["-o"] : ["-o", "--output"];
}

/** Returns the formats that `--output` may name: a command has more of them as switches. */
export function formatsOf({ formats = [] }: Pick<Command, "formats">): string[] {
  return ["text", "json", ...formats];
}

/** Removes the flag for the format from a command line; one that is a switch of the command becomes that switch. Throws for others. */
export function takeFormat(
  argv: readonly string[],
  command: Pick<Command, "flags" | "streams" | "formats">,
): { rest: string[]; isJson: boolean } {
  const names = formatFlags(command);
  const end = separatorIndex(argv);
  const rest = argv.slice(end);
  const kept: string[] = [];
  let format: string | undefined;
  for (let i = 0; i < end; i++) {
    const [, name, value] = /^(--output(?==|$)|-o)=?(.*)$/su.exec(argv[i]!) ?? [];
    if (name === undefined || !names.includes(name)) kept.push(argv[i]!);
    else format = value || argv[++i] || "";
  }
  if (format === undefined || format === "text" || format === "json")
    return { rest: [...kept, ...rest], isJson: format === "json" };
  if (command.formats?.includes(format)) return { rest: [`--${format}`, ...kept, ...rest], isJson: false };
  throw invalidArgument(
    `the output format must be ${listWords(formatsOf(command))}, not "${format}"`,
    "use --output json, or omit it",
  );
}

/** Returns the index of `--`, after which words belong to another program; the length if there is none. */
function separatorIndex(argv: readonly string[]): number {
  const at = argv.indexOf("--");
  return at === -1 ? argv.length : at;
}

/** Flags of all commands that take a value: the format of the output. */
const formatNames = formatFlags({ flags: {} });

/** Flags of all commands that take no value. */
const switches: readonly string[] = [verboseFlag, "-h", "--help"];

/** Without a command, these flags are the command `version`. */
const versionFlags: readonly string[] = ["-v", "--version"];

/**
 * Moves flags of all commands that stand before or within a command's name behind it: `--verbose create api` becomes
 * `create api --verbose`. Before the name, `--output` is always the format and becomes `-o`, because the command may have
 * an `--output` of its own.
 */
export function orderWords(argv: readonly string[]): string[] {
  const names: string[] = [];
  const flags: string[] = [];
  let i = 0;
  for (; i < argv.length; i++) {
    const { flag = argv[i]!, value } = readFlagWord(argv[i]!) ?? {};
    if (switches.includes(argv[i]!)) flags.push(argv[i]!);
    else if (formatNames.includes(flag) && names.length === 0) {
      const format = value ?? argv[++i];
      flags.push("-o", ...(format === undefined ? [] : [format]));
    } else if (versionFlags.includes(flag) && names.length === 0 && !isName(argv[i + 1]))
      names.push("version");
    else if (flag.startsWith("-") || argv[i] === "") break;
    else names.push(argv[i]!);
  }
  return [...names, ...flags, ...argv.slice(i)];
}

function isName(word: string | undefined): boolean {
  return word !== undefined && !word.startsWith("-");
}

/** Adds the flags of plugins to a command with `--plugins`; throws if one is broken, except with `--help`. */
export async function extendCommand(
  name: string,
  command: Command,
  words: readonly string[],
  cwd: string,
  { isCompletion = false } = {},
): Promise<Command> {
  if (!Object.hasOwn(command.flags, "plugins")) return command;
  const root = name === "init" ? undefined : findProjectRoot(cwd);
  const text = root === undefined ? "" : readFileSync(join(root, projectFile), "utf8");
  if (!isTyped(words, "--plugins") && (root === undefined || !mayHavePlugins(text))) return command;
  const { withPlugins } = await import("./with-plugins.ts");
  const isHelp = isTyped(words, "--help", "-h");
  try {
    const context = { root: root ?? cwd, text, isCompletion, isHelp };
    return withPlugins(name as PluginCommand, command, words, context);
  } catch (error) {
    // A missing plugin must not keep `--help` from describing tsbuilder's own flags.
    if (isHelp) return command;
    throw error;
  }
}

/** `TSBUILDER_PROJECT_NAME` for `--project-name`. */
export const environmentVariable = (flag: string): string =>
  `TSBUILDER_${flag.toUpperCase().replaceAll("-", "_")}`;

/**
 * Flags that the environment can't set: `--force` and `--yes` because they overwrite or confirm, `--version` because it
 * names what the command is about, the flags of plugins because they load code, `--exec` and `--build` because they run
 * commands, and `--output` and `--watch` because they mean different things to different commands.
 */
export const typedOnly: readonly string[] = [
  "force",
  "yes",
  "version",
  "output",
  "plugins",
  "remove-plugins",
  "exec",
  "build",
  "watch",
];

/** A flag that the environment gives. */
interface EnvironmentFlag {
  readonly variable: string;
  /** `--project-name=shop` */
  readonly word: string;
}

/** The flags of a command that the environment gives and that were not typed. */
export function flagsOfEnvironment(
  flags: FlagDefinitions,
  typed: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): EnvironmentFlag[] {
  return Object.entries(flags).flatMap(([flag, { short }]) => {
    const variable = environmentVariable(flag);
    const value = environment[variable] ?? "";
    const names = [`--${flag}`, `--no-${flag}`, ...(short === undefined ? [] : [`-${short}`])];
    if (value === "" || typedOnly.includes(flag) || isTyped(typed, ...names)) return [];
    return [{ variable, word: `--${flag}=${value}` }];
  });
}

/** The hint for words that name no command, such as `creat api`; undefined if no command is close. */
export function hintForCommand(
  words: readonly string[],
  commands: readonly CommandEntry[],
): string | undefined {
  const names = commands.map(({ name }) => name);
  const pair = words.slice(0, 2).join(" ");
  const firstWords = names.map((name) => name.split(" ")[0]!);
  return hintFor(pair, names) ?? hintFor(words[0]!, firstWords);
}

/** The hint for a word that a command does not take: it may be the next word of another command's name. */
export function hintForNextWord(
  name: string,
  word: string,
  commands: readonly CommandEntry[],
): string | undefined {
  const longer = commands.flatMap((command) => (command.name.startsWith(`${name} `) ? command.name : []));
  return hintFor(`${name} ${word}`, longer);
}

/** Commands of kubebuilder and operator-sdk that have another name in tsbuilder. */
const counterparts: Readonly<Record<string, string>> = {
  "alpha generate":
    "scaffold FOLDER: it scaffolds what PROJECT describes; tsbuilder upgrade merges a newer scaffold into the project",
  "alpha update": "upgrade --branch: it merges what a newer tsbuilder scaffolds",
  "generate bundle": "bundle",
  "generate kustomize": "bundle: it needs no step of kustomize before it",
  "pkgman-to-bundle": "migrate packagemanifests",
};

function hintFor(words: string, names: readonly string[]): string | undefined {
  if (Object.hasOwn(counterparts, words)) return `use tsbuilder ${counterparts[words]}`;
  const meant = didYouMean(words, names);
  return meant === undefined ? undefined : `did you mean "tsbuilder ${meant}"?`;
}
