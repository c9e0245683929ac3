import { TsbuilderError } from "../shared/errors.ts";
import { didYouMean } from "../shared/text.ts";
import { type CommandEntry, commands } from "./commands/index.ts";
import { overview } from "./overview.ts";
import { type Host, thisTsbuilder } from "./host.ts";
import { reportAsJson, takeFormat } from "./json-report.ts";
import type { Ui } from "./ui.ts";
import { noteSteps, takeVerbose } from "./verbose.ts";

/** Finds, loads and runs a command. Returns the exit code. */
export async function dispatch(
  argv: readonly string[],
  cwd: string,
  ui: Ui,
  host: Host = thisTsbuilder,
): Promise<number> {
  const words = argv.filter((word) => word !== "--help" && word !== "-h");
  const wantsHelp = words.length < argv.length;
  if (argv[0] === "__complete") {
    const { complete } = await import("./complete.ts");
    for (const proposal of await complete(argv.slice(1), cwd)) ui.print(proposal);
    return 0;
  }
  if (words[0] === "help") return dispatch([...words.slice(1), "--help"], cwd, ui, host);
  const entry = findCommand(words);
  if (entry) {
    const [{ runCommand }, command] = await Promise.all([import("./run-command.ts"), entry.load()]);
    const { rest: flags, isVerbose } = takeVerbose(argv.slice(entry.name.split(" ").length));
    const { rest, isJson } = takeFormat(flags, command);
    const run = (by: Ui): Promise<number> => {
      const runIt = (): Promise<number> => runCommand(entry.name, command, rest, cwd, by, host);
      return isVerbose ? noteSteps(by, runIt) : runIt();
    };
    return isJson ? reportAsJson(entry.name, ui, run) : run(ui);
  }
  const group = commands.filter(({ name }) => name.startsWith(`${words[0]} `));
  if (words.length === 0 || (group.length > 0 && words.length === 1)) {
    ui.print(overview(words[0]));
    return wantsHelp || words.length === 0 ? 0 : 1;
  }
  const error = unknownCommand(words, group);
  if (!takeFormat(argv, { flags: {} }).isJson) throw error;
  return reportAsJson("", ui, () => Promise.reject(error));
}

/** The longest command name that the arguments begin with. */
function findCommand(words: readonly string[]): CommandEntry | undefined {
  return commands
    .filter(({ name }) => name.split(" ").every((word, i) => words[i] === word))
    .sort((a, b) => b.name.length - a.name.length)[0];
}

function unknownCommand(words: readonly string[], group: readonly CommandEntry[]): TsbuilderError {
  const known = commands.map(({ name }) => name);
  const pair = words.slice(0, 2).join(" ");
  const meant =
    didYouMean(pair, known) ??
    didYouMean(
      words[0]!,
      known.map((name) => name.split(" ")[0]!),
    );
  return new TsbuilderError(`unknown command "tsbuilder ${group.length > 0 ? pair : words[0]}"`, {
    code: "INVALID_ARGUMENT",
    hint:
      meant === undefined
        ? "run tsbuilder --help for a list of commands"
        : `did you mean "tsbuilder ${meant}"?`,
  });
}
