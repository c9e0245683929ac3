import type { Duration } from "@tsbuilder/apimachinery/meta";
import { compareText } from "@tsbuilder/apimachinery/text";
import { parseDuration } from "@tsbuilder/apimachinery/time";

/** A command-line flag. */
export type FlagDefinition = FlagText &
  (
    | { readonly type: "string"; readonly default?: string | undefined }
    | { readonly type: "boolean"; readonly default?: boolean | undefined }
    | { readonly type: "number"; readonly default?: number | undefined }
    | { readonly type: "duration"; readonly default?: Duration | undefined }
  );

/** The properties of every flag. */
export interface FlagText {
  readonly description: string;
  /** The environment variable that is read if the flag isn't set. */
  readonly env?: string | undefined;
  /** Alternative names, for compatibility with Go. */
  readonly aliases?: readonly string[] | undefined;
}

/** Flags by name, without leading dashes: `max-databases`. */
export type FlagDefinitions = { readonly [name: string]: FlagDefinition };

/** Refuses properties that a flag doesn't have, which a type parameter otherwise accepts. */
export type OnlyKnown<Flags> = {
  readonly [Name in keyof Flags]: {
    readonly [Property in Exclude<keyof Flags[Name], keyof FlagDefinition>]: never;
  };
};

/** The types of flag values. A flag without a default may be undefined. */
export type FlagValues<Flags extends FlagDefinitions> = {
  readonly [Name in keyof Flags]:
    | FlagValue<Flags[Name]["type"]>
    | (Flags[Name] extends { readonly default: string | boolean | number }
        ? never
        : Flags[Name]["type"] extends "boolean"
          ? never
          : undefined);
};

type FlagValue<Type> = Type extends "boolean"
  ? boolean
  : Type extends "number"
    ? number
    : Type extends "duration"
      ? Duration
      : string;

/** An invalid command line; the message is for the user. */
export class FlagError extends Error {
  override readonly name = "FlagError";
}

/**
 * Parses flags as Go programs do: `--name value`, `--name=value` or one dash; `--name` or `--name=false` for booleans;
 * `--` ends them. Throws a `FlagError` for unknown flags and invalid values.
 */
export function parseFlags(
  definitions: FlagDefinitions,
  argv: readonly string[],
  env: { readonly [name: string]: string | undefined },
): { readonly [name: string]: string | boolean | number | undefined } {
  const values: { [name: string]: string | boolean | number | undefined } = {};
  for (const [name, definition] of Object.entries(definitions)) {
    const fromEnv = definition.env === undefined ? undefined : env[definition.env];
    values[name] =
      fromEnv === undefined
        ? (definition.default ?? (definition.type === "boolean" ? false : undefined))
        : readValue(`the environment variable ${definition.env}`, definition, fromEnv);
  }
  const rest = [...argv];
  for (let argument = rest.shift(); argument !== undefined && argument !== "--"; argument = rest.shift()) {
    const match = /^--?(?<name>[^-=][^=]*)(?:=(?<value>.*))?$/s.exec(argument);
    if (!match) throw new FlagError(`"${argument}" is not a flag: flags start with --`);
    const typed = match.groups!["name"]!;
    const [name, definition] = findFlag(definitions, typed);
    const value = match.groups!["value"] ?? (definition.type === "boolean" ? "true" : rest.shift());
    if (value === undefined) throw new FlagError(`--${typed} needs a value`);
    values[name] = readValue(`--${typed}`, definition, value);
  }
  return values;
}

function findFlag(definitions: FlagDefinitions, typed: string): [string, FlagDefinition] {
  const found = Object.entries(definitions).find(
    ([name, { aliases }]) => name === typed || aliases?.includes(typed),
  );
  if (!found) throw new FlagError(`there is no flag --${typed}; --help lists them`);
  return found;
}

function readValue(source: string, { type }: FlagDefinition, text: string): string | boolean | number {
  switch (type) {
    case "boolean":
      if (["1", "t", "true"].includes(text.toLowerCase())) return true;
      if (["0", "f", "false"].includes(text.toLowerCase())) return false;
      throw new FlagError(`${source} is true or false, not "${text}"`);
    case "number":
      if (text.trim() === "" || !Number.isFinite(Number(text)))
        throw new FlagError(`${source} is a number, not "${text}"`);
      return Number(text);
    case "duration":
      try {
        parseDuration(text);
      } catch {
        throw new FlagError(`${source} is a duration such as 30s or 1h30m, not "${text}"`);
      }
      return text;
    case "string":
      return text;
  }
}

/** Formats flags for `--help`. */
export function describeFlags(definitions: FlagDefinitions): string {
  return Object.entries(definitions)
    .sort(([left], [right]) => compareText(left, right))
    .map(([name, { type, description, default: preset, env }]) => {
      const extra = [
        ...(preset === undefined || preset === "" || preset === false ? [] : [`default ${preset}`]),
        ...(env === undefined ? [] : [`or ${env} in the environment`]),
      ];
      return `  --${name}${type === "boolean" ? "" : ` ${type}`}\n        ${description}${extra.length > 0 ? ` (${extra.join(", ")})` : ""}`;
    })
    .join("\n");
}
