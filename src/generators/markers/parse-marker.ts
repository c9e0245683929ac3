import { didYouMean, listWords } from "../../shared/text.ts";
import type { ArgumentDefinition, MarkerArguments, MarkerDefinition } from "./definition.ts";
import { MarkerError } from "./marker-error.ts";
import { expect, parseValue } from "./parse-value.ts";
import { refuseDeep } from "./refuse-deep.ts";
import { Scanner } from "./scanner.ts";

/** A marker's text, split at its first `=`; offsets start after the `+`. */
export interface MarkerParts {
  /** Everything before the `=`: the whole name, or the name and the first argument. */
  readonly name: string;
  readonly value: string | undefined;
  readonly valueOffset: number;
}

/** Splits `NAME=REST`; a marker without `=` has no value. */
export function splitMarker(text: string): MarkerParts {
  const equals = text.indexOf("=");
  if (equals === -1) return { name: text.trim(), value: undefined, valueOffset: text.length };
  return { name: text.slice(0, equals), value: text.slice(equals + 1), valueOffset: equals + 1 };
}

/** Parses the arguments of a marker whose definition was found under `name`. Throws a MarkerError. */
export function parseArguments(parts: MarkerParts, definition: MarkerDefinition): MarkerArguments {
  const anonymous = definition.arguments[""];
  if (anonymous) return parseSingle(parts, definition, anonymous);
  const names = Object.keys(definition.arguments);
  // `resource:path=foos`: the first argument's name follows the marker's name.
  const first = parts.name.slice(definition.name.length + 1);
  const written = (first === "" ? "" : `${first}=`) + (parts.value ?? "");
  const offset = first === "" ? parts.valueOffset : parts.valueOffset - 1 - first.length;
  if (names.length === 0) {
    if (parts.value === undefined) return {};
    throw new MarkerError(
      `+${definition.name} takes no value`,
      parts.valueOffset - 1,
      `write +${definition.name}`,
    );
  }
  try {
    return parseNamed(written, definition, names);
  } catch (error) {
    throw error instanceof MarkerError
      ? new MarkerError(error.message, error.offset + offset, error.hint)
      : error;
  }
}

function parseSingle(
  parts: MarkerParts,
  definition: MarkerDefinition,
  argument: ArgumentDefinition,
): MarkerArguments {
  const text = definition.hashComments ? parts.value?.replace(/#.*/u, "").trim() : parts.value;
  if (text === undefined || text.trim() === "") {
    if (argument.optional) return {};
    throw new MarkerError(
      `+${definition.name} requires a value`,
      parts.valueOffset,
      `write +${definition.name}=<${argument.type}>`,
    );
  }
  try {
    refuseDeep(text);
    const scanner = new Scanner(text);
    const value = parseValue(scanner, argument);
    expectEnd(scanner);
    return { "": value };
  } catch (error) {
    if (!(error instanceof MarkerError)) throw error;
    throw new MarkerError(error.message, error.offset + parts.valueOffset, error.hint);
  }
}

function parseNamed(text: string, definition: MarkerDefinition, names: readonly string[]): MarkerArguments {
  refuseDeep(text);
  const scanner = new Scanner(text);
  const args: Record<string, MarkerArguments[string]> = {};
  while (scanner.peekNoSpace() !== "") {
    const name = scanner.scan();
    if (name.kind !== "ident") {
      throw new MarkerError(`expected an argument name, got "${name.text}"`, name.start, known(names));
    }
    const argument = Object.hasOwn(definition.arguments, name.text)
      ? definition.arguments[name.text]
      : undefined;
    if (!argument) {
      const meant = didYouMean(name.text, names);
      const hint = meant ? `did you mean "${meant}"?` : known(names);
      throw new MarkerError(`+${definition.name} has no argument "${name.text}"`, name.start, hint);
    }
    if (Object.hasOwn(args, name.text)) {
      throw new MarkerError(`the argument "${name.text}" is given twice`, name.start, "keep one of them");
    }
    expect(scanner, "=");
    args[name.text] = parseValue(scanner, argument);
    if (scanner.peekNoSpace() === "") break;
    expectComma(scanner, args, name.text);
  }
  const missing = names.filter((name) => !definition.arguments[name]!.optional && !Object.hasOwn(args, name));
  if (missing.length > 0) {
    const quoted = missing.map((name) => `"${name}"`);
    throw new MarkerError(
      `+${definition.name} is missing the argument ${listWords(quoted, "and")}`,
      text.length,
      `add ${missing.map((name) => `${name}=…`).join(",")}`,
    );
  }
  return args;
}

function expectComma(scanner: Scanner, args: Record<string, unknown>, last: string): void {
  const token = scanner.scan();
  if (token.text === ",") return;
  const hint =
    typeof args[last] === "string"
      ? "put a value that contains , ; or } in double quotes or backticks"
      : undefined;
  throw new MarkerError(`expected "," between arguments, got "${token.text}"`, token.start, hint);
}

function expectEnd(scanner: Scanner): void {
  const token = scanner.scan();
  if (token.kind === "end") return;
  throw new MarkerError(
    `unexpected "${scanner.text.slice(token.start)}" after the value`,
    token.start,
    "put a value that contains , ; or } in double quotes or backticks",
  );
}

function known(names: readonly string[]): string {
  return `its arguments are ${listWords(names, "and")}`;
}
