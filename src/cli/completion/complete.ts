// Proposals for a shell on TAB, from the same definitions that parse a command line.

import {
  extendCommand,
  formatFlags,
  formatsOf,
  formatSummary,
  isTyped,
  orderWords,
  readFlagWord,
  verboseFlag,
  verboseSummary,
} from "../arguments/command-line.ts";
import type { Command, CommandEntry, FlagDefinition } from "../arguments/command.ts";
import { commands, findCommand } from "../commands/index.ts";
import type { Project, Resource } from "../../project/project.ts";
import { findProjectRoot, parseProject, projectFile } from "../../project/store.ts";
import { diskTree } from "../../scaffold/tree.ts";
import { TsbuilderError } from "../../shared/errors.ts";

/** Returns completions for the last word, each with its description: `name<tab>description`. */
export async function complete(words: readonly string[], cwd: string): Promise<string[]> {
  const typed = words.slice(0, -1);
  const before = orderWords(typed);
  const current = words.at(-1) ?? "";
  const entry = findCommand(before);
  if (!entry) return completeName(typed, before, current);
  const command = await extendIfPossible(entry, before, cwd);
  const name = (before.at(-1) ?? "").replace(/^--/u, "");
  const flag = command.flags[name];
  if (flag && flag.type !== "boolean" && before.at(-1)!.startsWith("--")) {
    const choices = hasProjectValues(name) ? projectValues(name, before.slice(0, -1), cwd) : flag.choices;
    return proposeValues({ ...flag, ...(choices && { choices }) }, current);
  }
  if (formatFlags(command).includes(before.at(-1)!)) return formatsOf(command);
  return [
    ...proposeFlags(command, before),
    ...proposePositionals(command),
    ...proposeCommonFlags(command, before),
  ];
}

/** Adds the flags of plugins. A plugin that can't be loaded adds none; running the command reports it. */
async function extendIfPossible(
  entry: CommandEntry,
  words: readonly string[],
  cwd: string,
): Promise<Command> {
  const command = await entry.load();
  try {
    return await extendCommand(entry.name, command, words, cwd, { isCompletion: true });
  } catch {
    return command;
  }
}

/** Completes command names, and the flags of all commands in front of them. */
function completeName(typed: readonly string[], before: readonly string[], current: string): string[] {
  if (formatFlags({ flags: {} }).includes(typed.at(-1) ?? "")) return ["text", "json"];
  if (current.startsWith("-")) return proposeCommonFlags({ flags: {} }, before);
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

function proposeFlags({ flags }: Command, before: readonly string[]): string[] {
  return Object.entries(flags)
    .filter(([name, { type, hidden }]) => !hidden && (type === "list" || !isTyped(before, `--${name}`)))
    .map(([name, { summary }]) => `--${name}\t${summary}`);
}

function proposeCommonFlags(command: Pick<Command, "flags" | "streams">, before: readonly string[]) {
  const formats = formatFlags(command).filter((flag) => flag.startsWith("--"));
  return [...formats.map((flag) => [flag, formatSummary] as const), [verboseFlag, verboseSummary] as const]
    .filter(([flag]) => !isTyped(before, flag) && !(flag === "--output" && isTyped(before, "-o")))
    .map(([flag, summary]) => `${flag}\t${summary}`);
}

/** Returns the values of a flag. Behind the comma of a list, omits the values before it. */
function proposeValues({ choices = [], type, summary }: FlagDefinition, current: string): string[] {
  if (type !== "list") return choices.map((choice) => `${choice}\t${summary}`);
  const typed = current.split(",").slice(0, -1);
  const prefix = typed.map((value) => `${value},`).join("");
  return choices
    .filter((choice) => !typed.includes(choice))
    .map((choice) => `${prefix}${choice}\t${summary}`);
}

/** Offers the alternatives of `<bash|zsh>`. */
function proposePositionals({ positionals = [] }: Command): string[] {
  return positionals.flatMap((positional) =>
    positional.includes("|") ? positional.slice(1, -1).split("|") : [],
  );
}

/** Flags whose values come from the project's kinds: the values that a kind has for each. */
const valuesByFlag: Readonly<Record<string, (resource: Resource) => readonly string[]>> = {
  group: ({ group }) => [group === "" ? "core" : group],
  version: ({ version }) => [version],
  kind: ({ kind }) => [kind],
  spoke: ({ version }) => [version],
  "controller-name": ({ controllers }) => controllers.map(({ name }) => name),
};

/** Returns whether the values of a flag come from the project. */
function hasProjectValues(flag: string): boolean {
  return Object.hasOwn(valuesByFlag, flag);
}

/** Returns the values that a flag has in the project around a folder, as far as they fit the flags before it. */
function projectValues(flag: string, before: readonly string[], cwd: string): string[] {
  const words = before.map((word) => readFlagWord(word));
  const typed = (name: string): string | undefined => {
    const at = words.findIndex((word) => word?.flag === `--${name}`);
    return at === -1 ? undefined : (words[at]?.value ?? before[at + 1]);
  };
  const fits = (resource: Resource): boolean =>
    (["group", "kind"] as const).every((name) => {
      const value = name === flag ? undefined : typed(name);
      return value === undefined || valuesByFlag[name]!(resource).includes(value);
    }) && !(flag === "spoke" && typed("version") === resource.version);
  const found = readResources(cwd).filter(fits).flatMap(valuesByFlag[flag]!);
  return [...new Set(found)];
}

/** Reads the project's kinds. Completion never fails: a project that can't be read has none. */
function readResources(cwd: string): Project["resources"] {
  const root = findProjectRoot(cwd);
  if (root === undefined) return [];
  try {
    return parseProject(diskTree(root).read(projectFile)!).project.resources;
  } catch (error) {
    if (!(error instanceof TsbuilderError)) throw error;
    return [];
  }
}
