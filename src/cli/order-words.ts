import { formatFlags } from "./json-report.ts";
import { readFlagWord } from "./flag-word.ts";
import { verboseFlag } from "./verbose.ts";

/** Flags of all commands that take a value: the format of the output. */
const withValue = formatFlags({ flags: {} });
const alone: readonly string[] = [verboseFlag, "-h", "--help"];

const version: readonly string[] = ["-v", "--version"];

/**
 * Moves flags of all commands that stand before a command's name, or within it, behind the name. There `--output` is
 * the format, whatever it means to the command, and becomes `-o`. `--version` alone is
 * a command.
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
