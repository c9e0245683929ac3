import type { Host } from "./host.ts";
import type { Ui } from "./ui.ts";

/** A flag as it is typed, asked for, and explained: one description for parser, prompts, help and completion. */
export interface FlagDefinition {
  /** `list` is given more than once, or with commas; `optional-string` may stand without a value, and is then `true`. */
  readonly type: "string" | "optional-string" | "boolean" | "number" | "list";
  readonly summary: string;
  /** Stands for the value in the help: `NAME`. */
  readonly placeholder?: string;
  readonly default?: string | boolean | number;
  readonly choices?: readonly string[];
  /** The command can't do without it: asked for on a terminal, an error elsewhere. */
  readonly required?: boolean;
  /** The question on a terminal. A flag with a question that isn't required is asked for when it wasn't given. */
  readonly prompt?: string;
  /** The answer that is offered. */
  readonly promptDefault?: string | boolean;
  /** Throws a `TsbuilderError` for a value that can't be right. */
  readonly check?: (value: string) => unknown;
  /** Left out of the help. */
  readonly hidden?: boolean;
  /** One letter: `h` for `-h`. */
  readonly short?: string;
}

export type FlagDefinitions = Readonly<Record<string, FlagDefinition>>;

/** The values of flags, by their names as they are typed. */
export type FlagValues<Flags extends FlagDefinitions> = {
  readonly [Name in keyof Flags]: Flags[Name]["type"] extends "list"
    ? readonly string[]
    : Flags[Name] extends { readonly default: unknown } | { readonly required: true }
      ? ValueOf<Flags[Name]["type"]>
      : ValueOf<Flags[Name]["type"]> | undefined;
};

type ValueOf<Type extends FlagDefinition["type"]> = {
  string: string;
  "optional-string": string | true;
  boolean: boolean;
  number: number;
  list: readonly string[];
}[Type];

/** A command: what it is called stands in `commands/index.ts`, what it does here. */
export interface Command<Flags extends FlagDefinitions = FlagDefinitions> {
  /** One sentence, without a full stop. */
  readonly summary: string;
  /** More about it, for its help. */
  readonly description?: string;
  readonly examples?: readonly string[];
  readonly flags: Flags;
  /** `["<shell>"]`, `["[images...]"]` */
  readonly positionals?: readonly string[];
  /** Takes what follows `--`. */
  readonly takesRest?: boolean;
  /** Flags of kubebuilder's that mean nothing here, with what to do instead. */
  readonly refused?: Readonly<Record<string, string>>;
  run(invocation: Invocation<Flags>): Promise<number | void>;
}

/** One call of a command. */
export interface Invocation<Flags extends FlagDefinitions = FlagDefinitions> {
  /** The command, as it is typed: `create api`. */
  readonly name: string;
  readonly flags: FlagValues<Flags>;
  /** Which flags were typed, or answered; others have their default, or no value. */
  readonly given: ReadonlySet<string>;
  readonly positionals: readonly string[];
  /** What followed `--`. */
  readonly rest: readonly string[];
  readonly cwd: string;
  readonly ui: Ui;
  readonly host: Host;
}

/** Declares a command, so that the values of its flags have types. */
export function defineCommand<const Flags extends FlagDefinitions>(command: Command<Flags>): Command<Flags> {
  return command;
}
