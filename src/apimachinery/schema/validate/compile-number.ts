import { goFloat, goNumber, goPlainFloat } from "../../text/index.ts";
import type { JSONSchema } from "../json-schema.ts";
import { kindOf } from "./schema-types.ts";
import type { Run } from "./run.ts";

/** Compiles a node's validations of numbers: the range of its format, bounds, and `multipleOf`. */
export function compileNumber(
  schema: JSONSchema,
  types: readonly string[],
  format: string,
): ((value: number | bigint, run: Run) => void) | undefined {
  const { minimum, maximum, multipleOf } = schema;
  const type = types.length === 1 ? types[0]! : "";
  const ranged = type === "integer" || format === "float";
  const checks = [
    multipleOf === undefined ? undefined : bounded("MultipleOf", multipleOf, checkMultiple),
    minimum === undefined
      ? undefined
      : bounded("Minimum boundary", minimum, (value, bound, exact, run) =>
          checkMinimum(value, bound, exact, schema.exclusiveMinimum === true, run),
        ),
    maximum === undefined
      ? undefined
      : bounded("Maximum boundary", maximum, (value, bound, exact, run) =>
          checkMaximum(value, bound, exact, schema.exclusiveMaximum === true, run),
        ),
  ].filter((check) => check !== undefined);
  if (!ranged && checks.length === 0) return undefined;

  return (value, run) => {
    if (ranged && !isInRange(value, type, format)) outOfRange("Checked", run);
    for (const check of checks) check(value, run);
  };

  /** A bound that its type can't represent, such as 1.5 for integers, is reported for every value. */
  function bounded(
    name: string,
    bound: number,
    check: Constraint,
  ): (value: number | bigint, run: Run) => void {
    const exact = !ranged || isInRange(bound, type, format);
    return (value, run) => {
      if (!exact) outOfRange(name, run);
      check(value, bound, exact, run);
    };
  }

  function outOfRange(name: string, run: Run): void {
    const named = format === "" ? "(default format)" : `with format ${format}`;
    run.composite(`${name} value must be of type ${type} ${named} in ${run.path()}`);
  }
}

/** Checks a value against a bound; values that are not `exact` are compared as floating-point numbers. */
type Constraint = (value: number | bigint, bound: number, exact: boolean, run: Run) => void;

function checkMaximum(
  value: number | bigint,
  maximum: number,
  exact: boolean,
  exclusive: boolean,
  run: Run,
): void {
  const bound = boundFor(value, maximum, exact);
  if (exclusive ? value < bound : value <= bound) return;
  report(
    value,
    exact,
    `should be less than ${exclusive ? "" : "or equal to "}${show(bound, value, exact)}`,
    run,
  );
}

function checkMinimum(
  value: number | bigint,
  minimum: number,
  exact: boolean,
  exclusive: boolean,
  run: Run,
): void {
  const bound = boundFor(value, minimum, exact);
  if (exclusive ? value > bound : value >= bound) return;
  report(
    value,
    exact,
    `should be greater than ${exclusive ? "" : "or equal to "}${show(bound, value, exact)}`,
    run,
  );
}

function checkMultiple(value: number | bigint, factor: number, exact: boolean, run: Run): void {
  const divisor = boundFor(value, factor, exact);
  if (divisor <= 0) {
    run.invalidFactor(divisor, show(divisor, value, exact));
    return;
  }
  const whole = exact && kindOf(value) === "integer";
  const quotient = factor < 1 ? (1 / factor) * Number(value) : Number(value) / factor;
  const passes = whole ? Number(value) % divisor === 0 : Number.isSafeInteger(quotient);
  if (!passes) report(value, exact, `should be a multiple of ${show(divisor, value, exact)}`, run);
}

function report(value: number | bigint, exact: boolean, message: string, run: Run): void {
  if (exact) run.invalid(value, message);
  else run.invalidFloat(Number(value), message);
}

/** Integers are compared with the integer part of a bound: the API server casts the bound to int64. */
function boundFor(value: number | bigint, bound: number, exact: boolean): number {
  return exact && kindOf(value) === "integer" ? Math.trunc(bound) : bound;
}

function show(bound: number, value: number | bigint, exact: boolean): string {
  return exact && kindOf(value) === "integer" ? goNumber(bound) : goFloat(bound);
}

function isInRange(value: number | bigint, type: string, format: string): boolean {
  if (Number.isSafeInteger(value) && format !== "int32" && type === "integer") return true;
  if (type === "number") return Math.abs(Number(value)) <= 3.4028234663852886e38;
  if (!/^-?\d+$/.test(typeof value === "bigint" ? String(value) : goPlainFloat(value))) return false;
  const bits = format === "int32" ? 31 : 63;
  return value >= -(2 ** bits) && value < 2 ** bits;
}
