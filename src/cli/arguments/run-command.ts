import { Command as Parser, CommanderError, Option } from "commander";
import { TsbuilderError } from "../../shared/errors.ts";
import { didYouMean } from "../../shared/text.ts";
import {
  type Command,
  type CommandEntry,
  type FlagDefinition,
  type FlagDefinitions,
  type FlagValues,
  type Invocation,
  invalidArgument,
} from "./command.ts";
import {
  type FlagWord,
  flagsOfEnvironment,
  formatFlags,
  formatSummary,
  hintForNextWord,
  readFlagWord,
  verboseFlag,
  verboseSummary,
} from "./command-line.ts";
import type { Ui } from "../reporting/report.ts";

/** Parses a command's words, prompts for missing flags, and runs it. Returns its exit code; throws for unknown words. */
export async function runCommand(
  name: string,
  command: Command,
  argv: readonly string[],
  call: Pick<Invocation, "cwd" | "ui" | "host" | "tsbuilder">,
): Promise<number> {
  const { ui, tsbuilder } = call;
  const { words, rest } = splitRest(argv, command);
  refuseFlags(words, command);
  const accepted = [...environmentWords(words, command, ui), ...withoutIgnored(words, command, ui)];
  const parser = makeParser(name, command, ui);
  try {
    parser.parse(normalizeValues(accepted, command.flags), { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    throw error instanceof CommanderError
      ? explainParserError(error, name, command, parser.args, tsbuilder.commands)
      : error;
  }
  const values = readValues(parser, command.flags);
  const given = new Set(Object.keys(command.flags).filter((flag) => isGiven(parser, flag)));
  if (ui.add) refuseStreams(command.flags, values);
  await askForMissing(name, command.flags, values, given, ui);
  checkValues(command.flags, values);
  const flags = values as FlagValues<FlagDefinitions>;
  return (await command.run({ ...call, name, flags, given, positionals: parser.args, rest })) ?? 0;
}

function makeParser(name: string, command: Command, ui: Ui): Parser {
  const parser = new Parser(`tsbuilder ${name}`)
    .description([command.summary, command.description].filter(Boolean).join("\n\n"))
    .exitOverride()
    .configureOutput({ writeOut: (text) => ui.print(text.trimEnd()), writeErr: () => undefined })
    .helpOption("-h, --help", "show help")
    .allowExcessArguments(false);
  for (const positional of command.positionals ?? []) parser.argument(positional);
  for (const [flag, definition] of Object.entries(command.flags)) addOption(parser, flag, definition);
  addCommonFlags(parser, command);
  const examples = command.examples ?? [];
  if (examples.length > 0)
    parser.addHelpText("after", `\nExamples:\n${examples.map((line) => `  ${line}`).join("\n")}`);
  return parser;
}

/** Adds the flags of all commands to the help. `dispatch` has taken their values out of the words already. */
function addCommonFlags(parser: Parser, command: Command): void {
  const names = formatFlags(command);
  if (names.length > 0) parser.addOption(new Option(`${names.join(", ")} <FORMAT>`, formatSummary));
  parser.addOption(new Option(verboseFlag, verboseSummary));
}

function addOption(parser: Parser, flag: string, definition: FlagDefinition): void {
  const { type, placeholder = "VALUE", summary, hidden = false } = definition;
  const value =
    { boolean: "", "optional-string": ` [${placeholder}]` }[type as string] ?? ` <${placeholder}>`;
  const short = definition.short === undefined ? "" : `-${definition.short}, `;
  const option = new Option(`${short}--${flag}${value}`, summary).hideHelp(hidden);
  if (definition.choices) option.choices([...definition.choices]);
  if (type === "list") option.argParser(listParser(definition.choices));
  // The help omits a default of false.
  if (definition.default) option.default(definition.default);
  parser.addOption(option);
  if (type === "boolean") parser.addOption(new Option(`--no-${flag}`).hideHelp());
}

/** Returns a parser that commander calls for each occurrence of a list flag, with the items of those before. */
function listParser(choices: readonly string[] | undefined): (value: string, before?: string[]) => string[] {
  return (value, before = []) => {
    const items = value.split(",").filter((item) => item !== "");
    const wrong = items.find((item) => choices && !choices.includes(item));
    if (wrong === undefined) return [...before, ...items];
    const meant = didYouMean(wrong, choices!);
    throw invalidArgument(
      `"${wrong}" is not one of ${choices!.join(", ")}`,
      meant === undefined ? `use one of ${choices!.join(", ")}` : `did you mean "${meant}"?`,
    );
  };
}

/** Accepts `--make=false` and `-o=json`, as Go's flags do. */
function normalizeValues(argv: readonly string[], flags: FlagDefinitions): string[] {
  const shortWithValue = Object.values(flags).flatMap(({ type, short }) =>
    type === "boolean" || short === undefined ? [] : `-${short}`,
  );
  return argv.map((word) => {
    const { flag = "", value } = readFlagWord(word) ?? {};
    if (value !== undefined && shortWithValue.includes(flag)) return `${flag}${value}`;
    const name = flag.replace(/^--/u, "");
    if (value === undefined || name === flag || flags[name]?.type !== "boolean") return word;
    if (/^(?:true|t|1)$/iu.test(value)) return flag;
    if (/^(?:false|f|0)$/iu.test(value)) return `--no-${name}`;
    throw invalidArgument(`${flag} must be true or false, not "${value}"`, `use ${flag} or ${flag}=false`);
  });
}

function splitRest(argv: readonly string[], command: Command): { words: string[]; rest: string[] } {
  const at = argv.indexOf("--");
  if (at === -1 || !command.takesRest) return { words: [...argv], rest: [] };
  return { words: argv.slice(0, at), rest: argv.slice(at + 1) };
}

function environmentWords(argv: readonly string[], { flags }: Command, ui: Ui): string[] {
  return flagsOfEnvironment(flags, argv, process.env).map(({ variable, word }) => {
    ui.note(`${word} comes from ${variable}`);
    return word;
  });
}

/** Removes flags of kubebuilder and operator-sdk that have no effect here, with their values, and notes why. */
function withoutIgnored(argv: readonly string[], { ignored = {}, ignoredBooleans = {} }: Command, ui: Ui) {
  const reasons = { ...ignored, ...ignoredBooleans };
  const kept: string[] = [];
  for (let i = 0; i < argv.length; i += 1) {
    const word = readFlagWord(argv[i]!);
    const reason = word && reasonFor(word, reasons);
    if (reason === undefined) {
      kept.push(argv[i]!);
      continue;
    }
    ui.note(`${word!.flag} is ignored: ${reason}`);
    const takesValue = reasonFor(word!, ignored) !== undefined;
    if (takesValue && word!.value === undefined && argv[i + 1]?.startsWith("-") === false) i += 1;
  }
  return kept;
}

function refuseFlags(argv: readonly string[], { refused = {} }: Command): void {
  for (const word of argv.flatMap((text) => readFlagWord(text) ?? [])) {
    const hint = reasonFor(word, refused);
    if (hint === undefined) continue;
    throw invalidArgument(`tsbuilder has no ${word.flag} here`, hint);
  }
}

function reasonFor({ flag }: FlagWord, reasons: Readonly<Record<string, string>>): string | undefined {
  const name = flag.replace(/^--/u, "");
  return name !== flag && Object.hasOwn(reasons, name) ? reasons[name] : undefined;
}

/** Adds a hint to commander's message, which names the flag already. */
function explainParserError(
  error: CommanderError,
  name: string,
  command: Command,
  args: readonly string[],
  commands: readonly CommandEntry[],
): TsbuilderError {
  if (error.code === "commander.excessArguments")
    return excessArgument(args[command.positionals?.length ?? 0]!, name, command, commands);
  const unknown = /unknown option '(--?[^'=]+)/u.exec(error.message)?.[1] ?? "";
  if (command.streams && /^(?:--output$|-o)/u.test(unknown)) return noJsonReport(unknown, name);
  const meant = unknown && meantFlag(unknown, Object.keys(command.flags));
  const message = error.message
    .replace(/^error: /u, "")
    .replace(/\n?\(Did you mean.*$/su, "")
    .replaceAll("'", '"');
  return invalidArgument(
    message,
    meant ? `did you mean "${meant}"?` : `run tsbuilder ${name} --help for its flags`,
  );
}

function excessArgument(
  word: string,
  name: string,
  { takesRest, positionals = [] }: Command,
  commands: readonly CommandEntry[],
): TsbuilderError {
  const taken = positionals.length === 0 ? "no argument" : `only ${positionals.join(" ")}`;
  const help =
    takesRest && positionals.length === 0
      ? `what is to be passed on comes after --: tsbuilder ${name} -- ARGUMENTS`
      : `run tsbuilder ${name} --help for its flags`;
  return invalidArgument(
    `tsbuilder ${name} takes ${taken}, and "${word}" is one more`,
    hintForNextWord(name, word, commands) ?? help,
  );
}

/** Finds the flag that was probably meant: one with a similar name, or the only one that ends with these words. */
function meantFlag(unknown: string, flags: readonly string[]): string | undefined {
  const near = didYouMean(
    unknown,
    flags.map((flag) => `--${flag}`),
  );
  const longer = flags.filter((flag) => flag.endsWith(unknown.slice(1)));
  return near ?? (longer.length === 1 ? `--${longer[0]}` : undefined);
}

/** Explains that a command has no `--output json`: programs pass that flag to all commands. */
function noJsonReport(flag: string, name: string): TsbuilderError {
  return invalidArgument(
    `tsbuilder ${name} has no report for programs`,
    `omit ${flag.slice(0, 2) === "--" ? flag : "-o"}: the command prints what happens while it runs`,
  );
}

type Values = Record<string, string | boolean | number | readonly string[] | undefined>;

function readValues(parser: Parser, flags: FlagDefinitions): Values {
  const entries = Object.entries(flags).map(
    ([flag, { type, default: fallback }]): [string, Values[string]] => {
      const value = (parser.getOptionValue(camelCase(flag)) as Values[string]) ?? fallback;
      if (type === "list") return [flag, value ?? []];
      if (type === "number" && typeof value === "string") return [flag, toNumber(flag, value)];
      return [flag, value];
    },
  );
  return Object.fromEntries(entries);
}

function toNumber(flag: string, value: string): number {
  if (/^\d+$/u.test(value)) return Number(value);
  throw invalidArgument(`--${flag} must be a whole number, not "${value}"`, `for example: --${flag} 8080`);
}

function isGiven(parser: Parser, flag: string): boolean {
  return parser.getOptionValueSource(camelCase(flag)) === "cli";
}

const camelCase = (flag: string): string =>
  flag.replaceAll(/-(\w)/gu, (_, letter: string) => letter.toUpperCase());

/** Adds the user's answers to `values` and `given`. Without a terminal, throws if a required value is missing. */
async function askForMissing(
  name: string,
  flags: FlagDefinitions,
  values: Values,
  given: Set<string>,
  ui: Ui,
): Promise<void> {
  const isMissing = ([flag, { required }]: [string, FlagDefinition]): boolean =>
    required === true && (values[flag] === undefined || values[flag] === "");
  if (ui.isInteractive) {
    const questions = Object.entries(flags).filter(
      (entry) => isMissing(entry) || (entry[1].prompt !== undefined && !given.has(entry[0])),
    );
    // With all required flags given, the others take their defaults without a prompt.
    if (!questions.some(isMissing)) return;
    const { ask } = await import("./prompt.ts");
    for (const [flag, definition] of questions) {
      values[flag] = await ask(flag, definition);
      given.add(flag);
    }
    return;
  }
  const missing = Object.entries(flags).filter(isMissing);
  if (missing.length === 0) return;
  const names = missing.map(([flag]) => `--${flag}`).join(", ");
  throw new TsbuilderError(`tsbuilder ${name} needs ${names}`, {
    code: "MISSING_ANSWER",
    hint: `add ${missing.map(([flag, { placeholder = "VALUE" }]) => `--${flag} ${placeholder}`).join(" ")}`,
  });
}

/** Refuses `--output json` with a flag that makes the command run on: the report is printed when a command ends. */
function refuseStreams(flags: FlagDefinitions, values: Values): void {
  for (const [flag, { streams }] of Object.entries(flags)) {
    if (!streams || values[flag] !== true) continue;
    throw invalidArgument(
      `--${flag} and --output json are mutually exclusive`,
      `omit --output json: with --${flag}, the command runs until it is stopped`,
    );
  }
}

function checkValues(flags: FlagDefinitions, values: Values): void {
  for (const [flag, { check }] of Object.entries(flags)) {
    const value = values[flag];
    if (!check || value === undefined) continue;
    for (const item of Array.isArray(value) ? (value as readonly string[]) : [value]) check(String(item));
  }
}
