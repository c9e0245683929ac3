import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listRepositoryFiles } from "./check-book.ts";
import { findCommand } from "../../src/cli/commands/index.ts";
import { commandLine } from "../../src/cli/start/main.ts";
import { thisTsbuilder } from "../../src/cli/packages/host.ts";
import { orderWords } from "../../src/cli/arguments/command-line.ts";
import { runCommand } from "../../src/cli/arguments/run-command.ts";
import { repository } from "../support/source-imports.ts";
import { readConsole, type ShownCommand } from "./read-console.ts";

/** The commands of the book and the READMEs that no test runs. */
export const shownCommands: readonly ShownCommand[] = listRepositoryFiles(repository)
  .filter((path) => path.endsWith("README.md") || /^src\/book\/.*\.md$/u.test(path))
  .flatMap((path) => readConsole(path, readFileSync(join(repository, path), "utf8")));

/** The flags that the plugins of the book add to `edit`. */
const contributed = { team: { type: "string", summary: "the team that owns the project" } } as const;

/** Has the CLI read a command's flags and arguments, and do nothing; throws as the CLI would. */
export async function parseTsbuilder(args: readonly string[]): Promise<void> {
  const words = orderWords(args);
  const entry = findCommand(words);
  if (!entry) throw new Error(`there is no command ${args.join(" ")}`);
  const loaded = await entry.load();
  const flags = entry.name === "edit" ? { ...loaded.flags, ...contributed } : loaded.flags;
  const ui = { print: () => undefined, note: () => undefined, isInteractive: false };
  const rest = words.slice(entry.name.split(" ").length);
  await runCommand(entry.name, { ...loaded, flags, run: async () => 0 }, rest, {
    cwd: repository,
    ui,
    host: thisTsbuilder,
    tsbuilder: commandLine(thisTsbuilder),
  });
}

/** Names the flags of a command that its help, and that of its program, don't name. */
export function unknownFlags(args: readonly string[], help: string): string[] {
  return args
    .filter((word) => /^--?[a-zA-Z]/.test(word))
    .map((word) => word.replace(/=.*/s, ""))
    .filter((flag) => !new RegExp(`(?:^|[ ,])${flag}(?:[ ,=]|$)`, "m").test(help));
}
