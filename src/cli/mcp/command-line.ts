import { TsbuilderError } from "../../shared/errors.ts";
import { planFlags } from "../apply-or-show.ts";
import { commands } from "../commands/index.ts";
import { readFlagWord } from "../flag-word.ts";

/** A command with the arguments that an agent gave it. */
export interface CommandLine {
  /** `["create", "api"]` */
  readonly name: readonly string[];
  readonly args: readonly string[];
}

/** The commands that can show which files they would write; `deploy --diff` asks a cluster instead. */
export async function plannableCommands(): Promise<readonly string[]> {
  const loaded = await Promise.all(
    commands.map(async (entry) => ({ name: entry.name, command: await entry.load() })),
  );
  return loaded.filter(({ command }) => command.flags["diff"] === planFlags.diff).map(({ name }) => name);
}

/** The words of a command's name, or of a group of commands; flags are none of them. */
export function readName(command: string): readonly string[] {
  const words = command.split(" ").filter((word) => word !== "");
  const isKnown = commands.some(({ name }) => `${name} `.startsWith(`${words.join(" ")} `));
  if (words.length === 0 || isKnown) return words;
  throw new TsbuilderError(`there is no command "${command}"`, {
    code: "REFUSED",
    hint: "use its name alone, such as create api; without one, the tool help lists them",
  });
}

const onlyShows = "omit it: plan only shows, and apply writes";
/** Flags that can't be in a plan, each with what to do instead. */
const refused = new Map([
  ...["--", "--diff", "--no-diff", "--dry-run", "--no-dry-run"].map((flag) => [flag, onlyShows] as const),
  ["--plugins", "loading a plugin runs its code: have the user add it with tsbuilder edit --plugins"],
]);

/** The command line of a command and its arguments; refuses what would write, or run code of others, without a plan. */
export async function readPlannable(command: string, args: readonly string[]): Promise<CommandLine> {
  const known = await plannableCommands();
  if (!known.includes(command)) {
    throw new TsbuilderError(`"${command}" can't be planned`, {
      code: "REFUSED",
      hint: `use one of: ${known.join(", ")}; have the user run other commands`,
    });
  }
  for (const word of args) {
    const hint = refused.get(readFlagWord(word)?.flag ?? word);
    if (hint !== undefined)
      throw new TsbuilderError(`"${word}" can't be an argument of a plan`, { code: "REFUSED", hint });
  }
  return { name: command.split(" "), args };
}
