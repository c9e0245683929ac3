// Commands and their flags as data, and how the words of a command line become an invocation. Begin here, then read
// `run-command.ts`: it parses words (`command-line.ts`), reads the environment, and prompts. The other files are flags that
// several commands share, and those of plugins (`with-plugins.ts`).

import type { PluginCall } from "../../plugins/contributed/run-executables.ts";
import type { Project, Resource } from "../../project/project.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import type { Host } from "../packages/host.ts";
import type { Ui } from "../reporting/report.ts";

/** A flag: one description for the parser, the prompts, the help and shell completion. */
export interface FlagDefinition {
  /** A `list` may be repeated or comma-separated; an `optional-string` without a value is `true`. */
  readonly type: "string" | "optional-string" | "boolean" | "number" | "list";
  readonly summary: string;
  /** The value's placeholder in the help: `NAME`. */
  readonly placeholder?: string;
  readonly default?: string | boolean | number;
  readonly choices?: readonly string[];
  /** A terminal prompts for a missing value; without a terminal it is an error. */
  readonly required?: boolean;
  /** The question on a terminal. An optional flag with a prompt is asked for unless it was given. */
  readonly prompt?: string;
  readonly promptDefault?: string | boolean;
  /** Throws a `TsbuilderError` for an invalid value. */
  readonly check?: (value: string) => unknown;
  readonly hidden?: boolean;
  /** The short form, one letter: `h` for `-h`. */
  readonly short?: string;
  /** The flag makes the command run until it is stopped. */
  readonly streams?: boolean;
}

export type FlagDefinitions = Readonly<Record<string, FlagDefinition>>;

/** Defines a flag by its type: `flag.string("folder to write to", "DIR", { default: "dist" })`. */
export const flag = {
  /** One value, for which `placeholder` stands in the help. */
  string: <const More extends Partial<FlagDefinition> = object>(
    summary: string,
    placeholder: string,
    more = {} as More,
  ) => ({ type: "string" as const, summary, placeholder, ...more }),
  /** May be repeated, or have several values between commas. */
  list: <const More extends Partial<FlagDefinition> = object>(
    summary: string,
    placeholder: string,
    more = {} as More,
  ) => ({ type: "list" as const, summary, placeholder, ...more }),
  number: <const More extends Partial<FlagDefinition> = object>(
    summary: string,
    placeholder: string,
    more = {} as More,
  ) => ({ type: "number" as const, summary, placeholder, ...more }),
  /** Without a value, and off by default. */
  switch: <const More extends Partial<FlagDefinition> = object>(summary: string, more = {} as More) => ({
    type: "boolean" as const,
    summary,
    default: false,
    ...more,
  }),
};

type ValueOf<Type extends FlagDefinition["type"]> = {
  string: string;
  "optional-string": string | true;
  boolean: boolean;
  number: number;
  list: readonly string[];
}[Type];

/** The values of the flags, by flag name. */
export type FlagValues<Flags extends FlagDefinitions> = {
  readonly [Name in keyof Flags]: Flags[Name]["type"] extends "list"
    ? readonly string[]
    : Flags[Name] extends { readonly default: unknown } | { readonly required: true }
      ? ValueOf<Flags[Name]["type"]>
      : ValueOf<Flags[Name]["type"]> | undefined;
};

/** A command's implementation; its name and summary are in `commands/index.ts`, so that the overview loads no command. */
export interface CommandDefinition<Flags extends FlagDefinitions = FlagDefinitions> {
  /** The long description in the help. */
  readonly description?: string;
  readonly examples?: readonly string[];
  readonly flags: Flags;
  /** `["<shell>"]`, `["[images...]"]` */
  readonly positionals?: readonly string[];
  /** The command runs until it is stopped, or passes on the output of another program: it has no `--output json`. */
  readonly streams?: boolean;
  /** Switches that choose a format, too, so that `--output` may name them. */
  readonly formats?: readonly string[];
  /** Accepts arguments after `--`. */
  readonly takesRest?: boolean;
  /** Flags of kubebuilder and operator-sdk that are accepted without effect, and take a value; each with the reason. */
  readonly ignored?: Readonly<Record<string, string>>;
  /** The same for flags without a value: the word behind such a flag is not its value. */
  readonly ignoredBooleans?: Readonly<Record<string, string>>;
  /** Flags of kubebuilder, of operator-sdk or of other commands that are an error here, each with a hint what to use. */
  readonly refused?: Readonly<Record<string, string>>;
  /** Runs the command. Returns its exit code if it isn't 0; throws a `TsbuilderError` for what the user can mend. */
  run(invocation: Invocation<Flags>): Promise<number | void>;
}

/** Returns the command as it is: the call infers the types of its flags' values. */
export function defineCommand<const Flags extends FlagDefinitions>(
  command: CommandDefinition<Flags>,
): CommandDefinition<Flags> {
  return command;
}

/** A command with its summary: one sentence, without a full stop. */
export type Command = CommandDefinition & { readonly summary: string };

export interface Invocation<Flags extends FlagDefinitions = FlagDefinitions> {
  /** The command as typed: `create api`. */
  readonly name: string;
  readonly flags: FlagValues<Flags>;
  /** Names of the flags that were typed, answered or set by the environment. Others have their default, or no value. */
  readonly given: ReadonlySet<string>;
  readonly positionals: readonly string[];
  /** The arguments after `--`. */
  readonly rest: readonly string[];
  readonly cwd: string;
  readonly ui: Ui;
  readonly host: Host;
  readonly tsbuilder: CommandLine;
  /** The third-party plugins that the command line and the project name; undefined if there are none. */
  readonly plugins?: CommandPlugins | undefined;
}

/** The third-party plugins of a command. */
export interface CommandPlugins {
  /** Records the values of the plugins' flags in a project's description; `resource` is the kind that `create` is about. */
  record(
    project: Project,
    resource?: Resource,
  ): Promise<{ readonly project: Project; readonly call: PluginCall }>;
}

/** A command's name and how to load it. Its file is loaded only when it runs. */
export interface CommandEntry {
  /** `create api` */
  readonly name: string;
  readonly summary: string;
  load(): Promise<Command>;
}

/** tsbuilder itself, for a command that runs others. */
export interface CommandLine {
  readonly commands: readonly CommandEntry[];
  /** Runs a command line, and returns its exit code. */
  run(argv: readonly string[], cwd: string, ui: Ui): Promise<number>;
}

/** Returns the error for a word or a flag that a command can't take. */
export function invalidArgument(message: string, hint: string): TsbuilderError {
  return new TsbuilderError(message, { code: "INVALID_ARGUMENT", hint });
}
