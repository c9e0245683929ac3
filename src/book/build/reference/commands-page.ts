import type { Command, FlagDefinition } from "../../../cli/arguments/command.ts";
import { commands } from "../../../cli/commands/index.ts";
import {
  environmentVariable,
  formatFlags,
  formatSummary,
  verboseFlag,
  verboseSummary,
} from "../../../cli/arguments/command-line.ts";
import { sentence } from "../../../shared/text.ts";
import { anchorOf, code, codeBlock, type Page, prose, table } from "./markdown.ts";

/** Returns the page of all commands with arguments and flags, from the definitions that parse the command line. */
export async function commandsPage(): Promise<Page> {
  const loaded = await Promise.all(
    commands.map(async (entry) => ({ name: entry.name, command: await entry.load() })),
  );
  return {
    title: "Commands",
    order: 1,
    body: [
      `${code("tsbuilder COMMAND --help")} prints what this page says about a command. Without a command, ${code("tsbuilder")} lists them all.`,
      table(
        ["command", "what it does"],
        loaded.map(({ name, command }) => [`[${name}](#${anchorOf(name)})`, prose(command.summary)]),
      ),
      "## What all commands share",
      ...shared,
      ...loaded.flatMap(({ name, command }) => describeCommand(name, command)),
    ],
  };
}

const shared: readonly string[] = [
  table(
    ["flag", "what it does"],
    [
      [code("-h, --help"), "Show help."],
      [
        code("-o, --output FORMAT"),
        `${sentence(prose(formatSummary))} The sections below name the exceptions.`,
      ],
      [code(verboseFlag), sentence(prose(verboseSummary))],
    ],
  ),
  `A flag that is omitted is read from the environment: ${code("--project-name")} from ${code(environmentVariable("project-name"))}. [Environment variables](environment.md) lists the exceptions.`,
  `A boolean flag takes ${code("--make=false")} and ${code("--no-make")}. A list is repeated (${code("--group a --group b")}) or separated by commas.`,
  table(
    ["exit code", "when"],
    [
      ["0", "The command did what it says."],
      ["1", "It failed, as the [error's code](errors.md) says, or it found what it checks for."],
      ["130", "A prompt was closed with Ctrl-C or Ctrl-D, or `scorecard` was stopped by a signal."],
      [
        "another",
        `${code("run")} and ${code("test")} end with the exit code of the operator and of the test runner.`,
      ],
    ],
  ),
];

function describeCommand(name: string, command: Command): string[] {
  const { summary, description, examples = [], flags, positionals = [], takesRest } = command;
  const shown = Object.entries(flags).filter(([, { hidden }]) => hidden !== true);
  const usage = [
    "tsbuilder",
    name,
    ...positionals,
    ...(shown.length > 0 ? ["[flags]"] : []),
    ...(takesRest ? ["[-- arguments]"] : []),
  ].join(" ");
  return [
    `## ${name}`,
    sentence(prose(summary)),
    ...(description === undefined ? [] : [prose(description)]),
    `Usage: ${code(usage)}`,
    ...(shown.length === 0 ? [] : [flagsTable(shown)]),
    ...outputOf(command),
    ...(examples.length === 0 ? [] : [codeBlock("console", examples.map((line) => `$ ${line}`).join("\n"))]),
    ...kubebuilderFlags(command),
  ];
}

function flagsTable(flags: readonly (readonly [string, FlagDefinition])[]): string {
  return table(
    ["flag", "default", "what it does"],
    flags.map(([flag, definition]) => [
      code(spell(flag, definition)),
      defaultOf(definition),
      sentence(prose(definition.summary)) + choicesOf(definition),
    ]),
  );
}

function spell(flag: string, { type, short, placeholder = "VALUE" }: FlagDefinition): string {
  const value = { boolean: "", "optional-string": ` [${placeholder}]` }[type as string] ?? ` ${placeholder}`;
  return `${short === undefined ? "" : `-${short}, `}--${flag}${value}`;
}

function defaultOf({ required, default: value }: FlagDefinition): string {
  if (required) return "required";
  return value === undefined || value === false || value === "" ? "" : code(String(value));
}

const choicesOf = ({ choices = [] }: FlagDefinition): string =>
  choices.length === 0 ? "" : ` One of ${choices.map(code).join(", ")}.`;

/** Describes only the differences from the other commands. */
function outputOf(command: Command): string[] {
  const names = formatFlags(command);
  if (command.streams && Object.hasOwn(command.flags, "output"))
    return ["It prints lines for programs while it runs, and no report in the end."];
  if (command.streams) return [`It has no report for programs: there is no ${code("--output json")}.`];
  if (names.length === 0) return [`It has no report for programs: its ${code("-o")} means something else.`];
  return names.includes("--output") ? [] : [`The report for programs is ${code("-o json")}.`];
}

function kubebuilderFlags({ ignored, ignoredBooleans, refused = {} }: Command): string[] {
  const rows = [
    ...Object.entries({ ...ignored, ...ignoredBooleans }).map(([flag, reason]) => [flag, "ignored", reason]),
    ...Object.entries(refused).map(([flag, instead]) => [flag, "an error", instead]),
  ].map(([flag, effect, words]) => [code(`--${flag}`), effect!, sentence(prose(words!))]);
  if (rows.length === 0) return [];
  return [
    "Flags of kubebuilder and operator-sdk that have no effect here:",
    table(["flag", "effect", "why, or what to use"], rows),
  ];
}
