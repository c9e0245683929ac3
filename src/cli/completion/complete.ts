// Proposals for a shell on TAB, from the same definitions that parse a command line.

import {
  extendCommand,
  formatFlags,
  formatSummary,
  isTyped,
  orderWords,
  verboseFlag,
  verboseSummary,
} from "../arguments/command-line.ts";
import type { Command, CommandEntry, FlagDefinition } from "../arguments/command.ts";
import { commands } from "../commands/index.ts";

/** Returns completions for the last word, each with its description: `name<tab>description`. */
export async function complete(words: readonly string[], cwd: string): Promise<string[]> {
  const typed = words.slice(0, -1);
  const before = orderWords(typed);
  const current = words.at(-1) ?? "";
  const entry = commands
    .filter(({ name }) => name.split(" ").every((word, i) => before[i] === word))
    .sort((a, b) => b.name.length - a.name.length)[0];
  if (!entry) return completeName(typed, before, current);
  const command = await extendIfWhole(entry, before, cwd);
  const name = (before.at(-1) ?? "").replace(/^--/u, "");
  const flag = command.flags[name];
  if (flag && flag.type !== "boolean" && before.at(-1)!.startsWith("--")) {
    const { isOfProject, projectValues } = await import("./complete-project.ts");
    if (!isOfProject(name)) return valuesOf(flag, current);
    return valuesOf({ ...flag, choices: projectValues(name, before.slice(0, -1), cwd) }, current);
  }
  if (formatFlags(command).includes(before.at(-1)!)) return ["text", "json"];
  return [...flagsOf(command, before), ...positionalsOf(command), ...commonFlags(command, before)];
}

/** Adds the flags of plugins. A plugin that can't be loaded adds none; running the command reports it. */
async function extendIfWhole(entry: CommandEntry, words: readonly string[], cwd: string): Promise<Command> {
  const command = (await entry.load()) as Command;
  try {
    return await extendCommand(entry.name, command, words, cwd, { isCompletion: true });
  } catch {
    return command;
  }
}

/** Completes command names, and the flags of all commands in front of them. */
function completeName(typed: readonly string[], before: readonly string[], current: string): string[] {
  if (formatFlags({ flags: {} }).includes(typed.at(-1) ?? "")) return ["text", "json"];
  if (current.startsWith("-")) return commonFlags({ flags: {} }, before);
  const end = before.findIndex((word) => word.startsWith("-"));
  return nextWords(end === -1 ? before : before.slice(0, end));
}

/** Completes command names word by word. */
function nextWords(before: readonly string[]): string[] {
  const depth = before.length;
  const found = commands.filter(({ name }) => before.every((word, i) => name.split(" ")[i] === word));
  const next = new Map<string, string>();
  for (const { name, summary } of found) {
    const word = name.split(" ")[depth];
    if (word !== undefined && !next.has(word)) next.set(word, summary);
  }
  return [...next].map(([word, summary]) => `${word}\t${summary}`);
}

function flagsOf({ flags }: Command, before: readonly string[]): string[] {
  return Object.entries(flags)
    .filter(([name, { type, hidden }]) => !hidden && (type === "list" || !isTyped(before, `--${name}`)))
    .map(([name, { summary }]) => `--${name}\t${summary}`);
}

function commonFlags(command: Pick<Command, "flags" | "streams">, before: readonly string[]): string[] {
  const formats = formatFlags(command).filter((flag) => flag.startsWith("--"));
  return [...formats.map((flag) => [flag, formatSummary] as const), [verboseFlag, verboseSummary] as const]
    .filter(([flag]) => !isTyped(before, flag) && !(flag === "--output" && isTyped(before, "-o")))
    .map(([flag, summary]) => `${flag}\t${summary}`);
}

/** Returns the values of a flag. Behind the comma of a list, omits the values before it. */
function valuesOf({ choices = [], type, summary }: FlagDefinition, current: string): string[] {
  if (type !== "list") return choices.map((choice) => `${choice}\t${summary}`);
  const present = current.split(",").slice(0, -1);
  const start = present.map((value) => `${value},`).join("");
  return choices
    .filter((choice) => !present.includes(choice))
    .map((choice) => `${start}${choice}\t${summary}`);
}

/** Offers the alternatives of `<bash|zsh>`. */
function positionalsOf({ positionals = [] }: Command): string[] {
  return positionals.flatMap((positional) =>
    positional.includes("|") ? positional.slice(1, -1).split("|") : [],
  );
}
