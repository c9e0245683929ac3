import { TsbuilderError } from "../../shared/errors.ts";
import type { Command } from "./command.ts";

// The words of a command line: which of them are flags, and the flags that all commands have.

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

/** Takes `--verbose` out of a command line. Words behind `--` are for other programs. */
export function takeVerbose(argv: readonly string[]): { rest: string[]; isVerbose: boolean } {
  const end = ownEnd(argv);
  const rest = argv.filter((word, i) => i >= end || word !== verboseFlag);
  return { rest, isVerbose: rest.length < argv.length };
}

export const formatSummary = "output format: text, or json for programs";

/** The flags that choose the format; some commands write to the file or folder that `--output` names. */
export function formatFlags({ flags, streams = false }: Pick<Command, "flags" | "streams">): string[] {
  if (streams || Object.values(flags).some(({ short }) => short === "o")) return [];
  return Object.hasOwn(flags, "output") ? ["-o"] : ["-o", "--output"];
}

/** Takes the format out of a command line. */
export function takeFormat(
  argv: readonly string[],
  command: Pick<Command, "flags" | "streams">,
): { rest: string[]; isJson: boolean } {
  const names = formatFlags(command);
  const end = ownEnd(argv);
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

/** The index of `--`, or the length. */
function ownEnd(argv: readonly string[]): number {
  const at = argv.indexOf("--");
  return at === -1 ? argv.length : at;
}

/** Flags of all commands that take a value: the format of the output. */
const withValue = formatFlags({ flags: {} });
const alone: readonly string[] = [verboseFlag, "-h", "--help"];

const version: readonly string[] = ["-v", "--version"];

/**
 * Moves flags of all commands that stand before a command's name, or within it, behind the name. In front of a name,
 * `--output` is the format, even if the command has a flag of that name, and becomes `-o`. `--version` alone is a
 * command.
 */
export function orderWords(argv: readonly string[]): string[] {
  const names: string[] = [];
  const flags: string[] = [];
  let i = 0;
  for (; i < argv.length; i++) {
    const { flag = argv[i]!, value } = readFlagWord(argv[i]!) ?? {};
    if (alone.includes(argv[i]!)) flags.push(argv[i]!);
    else if (withValue.includes(flag) && names.length === 0) {
      const given = value ?? argv[++i];
      flags.push("-o", ...(given === undefined ? [] : [given]));
    } else if (version.includes(flag) && names.length === 0 && !isName(argv[i + 1])) names.push("version");
    else if (flag.startsWith("-") || argv[i] === "") break;
    else names.push(argv[i]!);
  }
  return [...names, ...flags, ...argv.slice(i)];
}

const isName = (word: string | undefined): boolean => word !== undefined && !word.startsWith("-");
