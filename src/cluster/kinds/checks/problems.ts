import type { FieldError } from "@tsbuilder/apimachinery/errors";
import {
  duplicate,
  invalid,
  invalidStruct,
  required,
  notSupported,
  tooMany,
} from "@tsbuilder/apimachinery/errors";
import { isEqual } from "@tsbuilder/apimachinery/json";
import { servesSince } from "../../contract/version.ts";
import { knownValues } from "./known-values.ts";

/** The field errors of an object, in the order in which the API server reports them. */
export type Problems = Generator<FieldError, void>;

/** Reports each of the reasons why a value is invalid. */
export function* refused(field: string, value: unknown, reasons: readonly string[]): Problems {
  for (const reason of reasons) yield invalid(field, value, reason);
}

/** Returns why a value is invalid. */
type Check<T = string> = (value: T) => readonly string[];

/** Validates a value that may be absent. */
export function* checked<T>(field: string, value: T | undefined, check: Check<T>): Problems {
  if (value !== undefined) yield* refused(field, value, check(value));
}

/** Validates a text that may be absent or empty. */
export function* ifSet(field: string, value: string | undefined, check: Check): Problems {
  if (value) yield* refused(field, value, check(value));
}

/** Validates a required value, which must pass a check. */
export function* needed(field: string, value: string | undefined, check: Check = () => []): Problems {
  if (!value) yield required(field);
  else yield* refused(field, value, check(value));
}

/** Yields the items of a list that may be absent, each with its path. */
export function* itemsOf<T>(
  field: string,
  list: readonly T[] | null | undefined,
): Generator<[at: string, item: T, index: number], void> {
  for (const [index, item] of (list ?? []).entries()) yield [`${field}[${index}]`, item, index];
}

/** Validates the items of a list that may be absent. */
export function* each<T>(
  field: string,
  list: readonly T[] | undefined,
  rule: (at: string, item: T) => Iterable<FieldError>,
): Problems {
  for (const [at, item] of itemsOf(field, list)) yield* rule(at, item);
}

/** Validates the values of a list that may be absent. */
export function* eachChecked<T>(field: string, list: readonly T[] | undefined, check: Check<T>): Problems {
  for (const [at, value] of itemsOf(field, list)) yield* refused(at, value, check(value));
}

/** Validates that `*` is the only item of a list if it is there; `what` names the items. */
export function* wildcardAlone(field: string, list: readonly string[], what: string): Problems {
  if (list.length < 2 || !list.includes("*")) return;
  yield invalid(field, list, `if '*' is present, must not specify other ${what}`);
}

/** Creates the rule for a list whose values are unique: it reports a value that it has had before. */
export function unique(): (field: string, value: string) => Problems {
  const seen = new Set<string>();
  return function* (field, value) {
    if (seen.has(value)) yield duplicate(field, value);
    seen.add(value);
  };
}

/** Reports a field that an update has changed. */
export function* immutable(field: string, value: unknown, old: unknown): Problems {
  if (!isEqual(value ?? null, old ?? null)) yield invalid(field, value ?? null, "field is immutable");
}

/** Reports such a field by a rule that Kubernetes has generated since 1.37: its message shows the value, or a struct, until then. */
export function* declaredImmutable(field: string, value: unknown, old: unknown, struct?: object): Problems {
  if (isEqual(value ?? null, old ?? null)) return;
  const detail = "field is immutable";
  if (servesSince("1.37") || !struct)
    yield invalid(field, servesSince("1.37") ? null : (value ?? null), detail);
  else yield invalidStruct(field, struct, detail);
}

export function* nonNegative(field: string, value: number | undefined): Problems {
  if (value !== undefined && value < 0) yield invalid(field, value, "must be greater than or equal to 0");
}

export function* positive(field: string, value: number): Problems {
  if (value <= 0) yield invalid(field, value, "must be greater than zero");
}

export function* inRange(field: string, value: number | undefined, min: number, max: number): Problems {
  if (value !== undefined && (value < min || value > max)) {
    yield invalid(field, value, `must be between ${min} and ${max}, inclusive`);
  }
}

/**
 * The choices that a field has, in the order of messages: a list, or the full name of the type whose field it is, such as
 * `core/v1.ServicePort`, if the generated tables have its values.
 */
type Choices = readonly string[] | `${string}/v${number}.${string}`;

/** Validates a required value from a list of choices. */
export function* choice(field: string, value: string | undefined, choices: Choices): Problems {
  if (!value) yield required(field);
  else yield* optionalChoice(field, value, choices);
}

/** Validates an optional value from a list of choices. */
export function* optionalChoice(field: string, value: string | undefined, choices: Choices): Problems {
  if (value === undefined) return;
  const values = typeof choices === "string" ? knownValues(`${choices}.${nameOfField(field)}`) : choices;
  if (!values.includes(value)) yield notSupported(field, value, values);
}

/** Returns the last name in a path, without an index. */
function nameOfField(field: string): string | undefined {
  return /\w+(?=(\[\d+\])?$)/.exec(field)?.[0];
}

/** Validates each item of a list, unless there are too many. */
export function* eachOfFew<T>(
  field: string,
  list: readonly T[],
  most: number,
  check: (field: string, item: T) => Iterable<FieldError>,
): Problems {
  if (list.length > most) yield tooMany(field, list.length, most);
  else yield* each(field, list, check);
}

/** Validates each item of a list, unless there are too many, and that no two have the same key. */
export function* uniqueItems<T>(
  field: string,
  list: readonly T[],
  most: number,
  check: (field: string, item: T) => Problems,
  keyOf: (item: T) => string,
): Problems {
  yield* eachOfFew(field, list, most, check);
  if (list.length <= most) yield* duplicates(field, list.map(keyOf));
}

/** Returns the name of an item, the key of most lists. */
export function nameOf({ name = "" }: { name?: string | undefined }): string {
  return name;
}

/** Reports the items of a list that repeat an earlier one. */
export function* duplicates(field: string, list: readonly string[]): Problems {
  for (const [index, item] of list.entries()) {
    if (list.indexOf(item) < index) yield duplicate(`${field}[${index}]`, item);
  }
}
