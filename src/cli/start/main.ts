// The start of the CLI, from a command line to an exit code. `start.ts` is the program: it loads `main.ts` with its
// compiled code (`scripts.ts`), whose `main` calls `dispatch` and prints what is thrown. Begin here.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { TsbuilderError } from "../../shared/errors.ts";
import type { Ui } from "../reporting/report.ts";
import { describeError, exitCodeOf } from "../reporting/explain-error.ts";
import { noteSteps, reportAsJson, terminal } from "../reporting/report.ts";
import type { CodeNotAllowedError } from "../../plugins/contributed/load-plugin.ts";
import { didYouMean } from "../../shared/text.ts";
import { type CommandEntry, type CommandLine, invalidArgument } from "../arguments/command.ts";
import {
  extendCommand,
  hintForCommand,
  orderWords,
  readFlagWord,
  takeFormat,
  takeVerbose,
} from "../arguments/command-line.ts";
import { commands, findCommand } from "../commands/index.ts";
import { type Host, thisTsbuilder } from "../packages/host.ts";

/** Runs a command line, prints what is thrown, and sets the exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  try {
    process.exitCode = await dispatch(argv, process.cwd(), terminal);
  } catch (error) {
    terminal.note(describeError(error, readSource));
    // An error of `explain` lists the codes itself.
    if (error instanceof TsbuilderError && argv[0] !== "explain")
      terminal.note(`tsbuilder explain ${error.code} says more`);
    process.exitCode = exitCodeOf(error);
  }
}

/** Finds the command that the words begin with, loads and runs it. Returns the exit code. */
export async function dispatch(
  argv: readonly string[],
  cwd: string,
  ui: Ui,
  host: Host = thisTsbuilder,
): Promise<number> {
  if (argv[0] === "__complete") {
    const { complete } = await import("../completion/complete.ts");
    for (const proposal of await complete(argv.slice(1), cwd)) ui.print(proposal);
    return 0;
  }
  const words = orderWords(argv);
  if (words[0] === "help") return dispatch([...words.slice(1), "--help"], cwd, ui, host);
  const entry = findCommand(words);
  if (!entry) return dispatchWithoutCommand(words, ui);
  const [{ runCommand }, loaded] = await Promise.all([import("../arguments/run-command.ts"), entry.load()]);
  const { rest: flags, isVerbose } = takeVerbose(words.slice(entry.name.split(" ").length));
  const { rest, isJson } = takeFormat(flags, loaded);
  const run = (commandUi: Ui): Promise<number> => {
    const call = { cwd, ui: commandUi, host, tsbuilder: commandLine(host) };
    const runOnce = async (): Promise<number> => {
      const command = await extendCommand(entry.name, loaded, words, cwd);
      return runCommand(entry.name, command, rest, call);
    };
    const runAllowed = (): Promise<number> => retryWhenAllowed(commandUi, runOnce);
    return isVerbose ? noteSteps(commandUi, runAllowed) : runAllowed();
  };
  return isJson ? reportAsJson(entry.name, ui, run) : run(ui);
}

/** Returns tsbuilder itself, for commands that run others. */
export function commandLine(host: Host): CommandLine {
  return { commands, run: (argv, cwd, ui) => dispatch(argv, cwd, ui, host) };
}

/**
 * Runs a command. If it needs code that a clone may contain, asks whether that may run, and starts again: a command
 * needs the code for its plan, so that nothing is written yet.
 */
async function retryWhenAllowed(ui: Ui, run: () => Promise<number>): Promise<number> {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!(ui.isInteractive && error instanceof TsbuilderError && error.code === "CODE_NOT_ALLOWED"))
        throw error;
      const [{ allow }, { ask }] = await Promise.all([
        import("../../plugins/contributed/load-plugin.ts"),
        import("../arguments/prompt.ts"),
      ]);
      const { source, found } = error as CodeNotAllowedError;
      const prompt = `Run the code of "${source}" in "${found.folder}", until one of its files changes?`;
      if (!(await ask("plugins", { type: "boolean", summary: prompt, prompt, promptDefault: false })))
        throw error;
      allow(found);
    }
  }
}

/** Lists the commands or those of a group; throws if there is no such command. */
async function dispatchWithoutCommand(words: readonly string[], ui: Ui): Promise<number> {
  const { rest, isJson } = takeFormat(takeVerbose(words).rest, { flags: {} });
  const names = rest.filter((word) => word !== "--help" && word !== "-h");
  const group = commands.filter(({ name }) => name.startsWith(`${names[0]} `));
  const list = async (listUi: Ui): Promise<number> => {
    if (names.length > 1 || (names.length > 0 && group.length === 0)) throw unknownCommand(names, group);
    listUi.print(overview(names[0]));
    return names.length < rest.length || names.length === 0 ? 0 : 1;
  };
  return isJson ? reportAsJson("", ui, list) : list(ui);
}

/** Formats the list of commands; with a word, only the commands that start with it. */
function overview(word?: string): string {
  const listed = commands.filter(({ name }) => word === undefined || name.startsWith(`${word} `));
  const width = Math.max(...listed.map(({ name }) => name.length));
  const lines = listed.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  const head =
    word === undefined
      ? ["Build Kubernetes operators in TypeScript.", "", "Usage: tsbuilder <command> [flags]"]
      : [`Usage: tsbuilder ${word} <command> [flags]`];
  const foot = [
    'Use "tsbuilder <command> --help" for more information about a command.',
    "--verbose says which programs run and which files are written, and prints the stack of errors.",
    "A flag that is omitted is read from the environment: --project-name from TSBUILDER_PROJECT_NAME.",
  ];
  return [...head, "", "Commands:", ...lines, "", ...foot].join("\n");
}

function unknownCommand(words: readonly string[], group: readonly CommandEntry[]): TsbuilderError {
  const flag = readFlagWord(words[0]!)?.flag;
  if (flag !== undefined) {
    const near = didYouMean(flag, ["--help", "--output", "--verbose", "--version"]);
    return invalidArgument(
      `there is no flag ${flag} before a command`,
      near === undefined || near === flag
        ? "write the command first, then its flags: tsbuilder create api --group apps"
        : `did you mean "tsbuilder ${near}"?`,
    );
  }
  const name = group.length > 0 ? words.slice(0, 2).join(" ") : words[0];
  return invalidArgument(
    `unknown command "tsbuilder ${name}"`,
    hintForCommand(words, commands) ?? "run tsbuilder --help for a list of commands",
  );
}

/** Reads a file for the code frame of an error. */
function readSource(file: string): string | undefined {
  try {
    return readFileSync(resolve(file), "utf8");
  } catch {
    return undefined;
  }
}
