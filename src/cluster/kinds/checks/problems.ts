import { type FieldError, invalid, notSupported, required } from "@tsbuilder/apimachinery/errors";

/** What is wrong with an object, one thing after the other, in the order in which the API server says it. */
export type Problems = Generator<FieldError, void>;

/** Each reason for which a value is refused. */
export function* refused(field: string, value: unknown, reasons: readonly string[]): Problems {
  for (const reason of reasons) yield invalid(field, value, reason);
}

/** A value that must be there, and stand up to a check. */
export function* needed(
  field: string,
  value: string | undefined,
  check: (value: string) => readonly string[] = () => [],
): Problems {
  if (!value) yield required(field);
  else yield* refused(field, value, check(value));
}

export function* nonNegative(field: string, value: number | undefined): Problems {
  if (value !== undefined && value < 0) {
    yield invalid(field, value, "must be greater than or equal to 0");
  }
}

export function* positive(field: string, value: number): Problems {
  if (value <= 0) yield invalid(field, value, "must be greater than zero");
}

export function* inRange(
  field: string,
  value: number | undefined,
  lowest: number,
  highest: number,
): Problems {
  if (value !== undefined && (value < lowest || value > highest)) {
    yield invalid(field, value, `must be between ${lowest} and ${highest}, inclusive`);
  }
}

/** A value that must be one of a few; the choices stand in the order in which messages name them. */
export function* choice(field: string, value: string | undefined, choices: readonly string[]): Problems {
  if (!value) yield required(field);
  else if (!choices.includes(value)) yield notSupported(field, value, choices);
}

/** The same for a value that may be left out. */
export function* optionalChoice(
  field: string,
  value: string | undefined,
  choices: readonly string[],
): Problems {
  if (value !== undefined && !choices.includes(value)) yield notSupported(field, value, choices);
}
