import type { Command, FlagDefinition } from "./command.ts";
import { commands } from "./commands/index.ts";

/** What could stand in the place of the last word, with what it means: `name<tab>meaning`. */
export async function complete(words: readonly string[]): Promise<string[]> {
  const before = words.slice(0, -1);
  const current = words.at(-1) ?? "";
  const entry = commands
    .filter(({ name }) => name.split(" ").every((word, i) => before[i] === word))
    .sort((a, b) => b.name.length - a.name.length)[0];
  if (!entry) return nextWords(before);
  const command = (await entry.load()) as Command;
  const flag = command.flags[(before.at(-1) ?? "").replace(/^--/u, "")];
  if (flag && flag.type !== "boolean" && before.at(-1)!.startsWith("--")) return valuesOf(flag, current);
  return [...flagsOf(command, before), ...positionalsOf(command)];
}

/** The commands, word by word. */
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
    .filter(([name, { type, hidden }]) => !hidden && (type === "list" || !before.includes(`--${name}`)))
    .map(([name, { summary }]) => `--${name}\t${summary}`);
}

/** After the comma of a list come the values that are not there yet. */
function valuesOf({ choices = [], type, summary }: FlagDefinition, current: string): string[] {
  if (type !== "list") return choices.map((choice) => `${choice}\t${summary}`);
  const present = current.split(",").slice(0, -1);
  const start = present.map((value) => `${value},`).join("");
  return choices
    .filter((choice) => !present.includes(choice))
    .map((choice) => `${start}${choice}\t${summary}`);
}

/** `<bash|zsh>` names its values. */
function positionalsOf({ positionals = [] }: Command): string[] {
  return positionals.flatMap((positional) =>
    positional.includes("|") ? positional.slice(1, -1).split("|") : [],
  );
}
