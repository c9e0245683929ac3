import { goFloat, goNumber, goPlainFloat } from "../go-text.ts";
import type { JSONSchema } from "../json-schema.ts";
import { kindOf } from "./schema-types.ts";
import type { Run } from "./run.ts";

/** Compiles what a node asks of numbers: the range of its format, bounds, and multiples. */
export function compileNumber(
  schema: JSONSchema,
  types: readonly string[],
  format: string,
): ((value: number | bigint, run: Run) => void) | undefined {
  const { minimum, maximum, multipleOf } = schema;
  const type = types.length === 1 ? types[0]! : "";
  const ranged = type === "integer" || format === "float";
  if (!ranged && minimum === undefined && maximum === undefined && multipleOf === undefined) return undefined;

  return (value, run) => {
    if (ranged && !isInRange(value, type, format)) {
      const named = format === "" ? "(default format)" : `with format ${format}`;
      run.composite(`Checked value must be of type ${type} ${named} in ${run.path()}`);
    }
    if (multipleOf !== undefined) checkMultiple(value, multipleOf, run);
    if (maximum !== undefined) checkMaximum(value, maximum, schema.exclusiveMaximum === true, run);
    if (minimum !== undefined) checkMinimum(value, minimum, schema.exclusiveMinimum === true, run);
  };
}

function checkMaximum(value: number | bigint, maximum: number, exclusive: boolean, run: Run): void {
  const bound = boundFor(value, maximum);
  if (exclusive ? value < bound : value <= bound) return;
  run.invalid(value, `should be less than ${exclusive ? "" : "or equal to "}${show(bound, value)}`);
}

function checkMinimum(value: number | bigint, minimum: number, exclusive: boolean, run: Run): void {
  const bound = boundFor(value, minimum);
  if (exclusive ? value > bound : value >= bound) return;
  run.invalid(value, `should be greater than ${exclusive ? "" : "or equal to "}${show(bound, value)}`);
}

function checkMultiple(value: number | bigint, factor: number, run: Run): void {
  const divisor = boundFor(value, factor);
  if (divisor <= 0) {
    run.invalidFactor(divisor, show(divisor, value));
    return;
  }
  const whole = kindOf(value) === "integer";
  const quotient = factor < 1 ? (1 / factor) * Number(value) : Number(value) / factor;
  const passes = whole ? Number(value) % divisor === 0 : Number.isSafeInteger(quotient);
  if (!passes) run.invalid(value, `should be a multiple of ${show(divisor, value)}`);
}

/** Integers are compared with the whole part of a bound, as the API server casts the bound to int64. */
function boundFor(value: number | bigint, bound: number): number {
  return kindOf(value) === "integer" ? Math.trunc(bound) : bound;
}

function show(bound: number, value: number | bigint): string {
  return kindOf(value) === "integer" ? goNumber(bound) : goFloat(bound);
}

function isInRange(value: number | bigint, type: string, format: string): boolean {
  if (Number.isSafeInteger(value) && format !== "int32" && type === "integer") return true;
  if (type === "number") return Math.abs(Number(value)) <= 3.4028234663852886e38;
  if (!/^-?\d+$/.test(typeof value === "bigint" ? String(value) : goPlainFloat(value))) return false;
  const bits = format === "int32" ? 31 : 63;
  return value >= -(2 ** bits) && value < 2 ** bits;
}
