import { didYouMean } from "../../shared/text.ts";
import type { CommandEntry } from "./command.ts";

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

function hintFor(words: string, names: readonly string[]): string | undefined {
  if (Object.hasOwn(counterparts, words)) return `use tsbuilder ${counterparts[words]}`;
  const meant = didYouMean(words, names);
  return meant === undefined ? undefined : `did you mean "tsbuilder ${meant}"?`;
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
