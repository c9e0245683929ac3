// The flags of all commands (`--verbose`, `--output`, `--help`), and how they are found among the words of a command line
// before its command is known.

import { TsbuilderError } from "../../shared/errors.ts";
import type { Command } from "./command.ts";

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

/** Removes the flag for the format from a command line. */
export function takeFormat(
  argv: readonly string[],
  command: Pick<Command, "flags" | "streams">,
): { rest: string[]; isJson: boolean } {
  const names = formatFlags(command);
  const end = separatorIndex(argv);
  const rest = argv.slice(end);
  const own: string[] = [];
  let format: string | undefined;
  for (let i = 0; i < end; i++) {
    const [, name, value] = /^(--output(?==|$)|-o)=?(.*)$/su.exec(argv[i]!) ?? [];
    if (name === undefined || !names.includes(name)) own.push(argv[i]!);
    else format = value || argv[++i] || "";
  }
  if (format === undefined || format === "text" || format === "json")
    return { rest: [...own, ...rest], isJson: format === "json" };
  throw new TsbuilderError(`the output format must be text or json, not "${format}"`, {
    code: "INVALID_ARGUMENT",
    hint: "use --output json, or omit it",
  });
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

/** Without a command, the flag is the command `version`. */
const version: readonly string[] = ["-v", "--version"];

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
      const given = value ?? argv[++i];
      flags.push("-o", ...(given === undefined ? [] : [given]));
    } else if (version.includes(flag) && names.length === 0 && !isName(argv[i + 1])) names.push("version");
    else if (flag.startsWith("-") || argv[i] === "") break;
    else names.push(argv[i]!);
  }
  return [...names, ...flags, ...argv.slice(i)];
}

function isName(word: string | undefined): boolean {
  return word !== undefined && !word.startsWith("-");
}
