import { TsbuilderError } from "../../shared/errors.ts";
import { planFlags } from "../apply-or-show.ts";
import { commands } from "../commands/index.ts";

/** The commands that can show which files they would write; `deploy --diff` asks a cluster instead. */
export async function plannableCommands(): Promise<readonly string[]> {
  const loaded = await Promise.all(
    commands.map(async (entry) => ({ name: entry.name, command: await entry.load() })),
  );
  return loaded.filter(({ command }) => command.flags["diff"] === planFlags.diff).map(({ name }) => name);
}

/** The command line of a command and its arguments; refuses what would write without a plan. */
export async function readPlannable(command: string, args: readonly string[]): Promise<readonly string[]> {
  const known = await plannableCommands();
  if (!known.includes(command)) {
    throw new TsbuilderError(`"${command}" can't be planned`, {
      code: "REFUSED",
      hint: `use one of: ${known.join(", ")}; have the user run other commands`,
    });
  }
  const own = args.find((word) => /^(?:--|--(?:no-)?(?:diff|dry-run)(?:=.*)?)$/su.test(word));
  if (own !== undefined) {
    throw new TsbuilderError(`"${own}" can't be an argument of a plan`, {
      code: "REFUSED",
      hint: "omit it: plan only shows, and apply writes",
    });
  }
  return [...command.split(" "), ...args];
}
