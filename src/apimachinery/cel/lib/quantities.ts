import { type Amount, addAmounts, compareAmounts, parseQuantity } from "../../quantity/index.ts";
import { type FunctionDecl, type TypeOf, declare, method, typed } from "../functions/function.ts";
import { objectType } from "../types/type.ts";
import { CelDouble, Boxed, type Int, type Value, maxInt, minInt, toInt } from "../values/value.ts";
import { EvalError } from "../values/eval-error.ts";

const { bool, double, int, string } = typed;

/** The type of the values that `quantity()` returns. */
export const quantityType = objectType("kubernetes.Quantity");
const quantity: TypeOf<QuantityValue> = quantityType;

class QuantityValue extends Boxed<Amount> {
  readonly celType = quantityType;

  equals(other: Value): boolean {
    return other instanceof QuantityValue && compare(this, other) === 0;
  }
}

const compare = (a: QuantityValue, b: QuantityValue): Int => compareAmounts(a.content, b.content);
const pair = [quantity, quantity] as const;

/** The functions of the quantity library; arithmetic is exact. */
export const quantities: readonly FunctionDecl[] = [
  declare("quantity", "string_to_quantity", [string], quantityType, parse),
  declare("isQuantity", "is_quantity_string", [string], bool, (text) => tryParse(text) !== undefined),
  declare("sign", "quantity_sign", [quantity], int, ({ content }) => compareAmounts(content, fromInt(0))),
  method("isGreaterThan", "quantity_is_greater_than", pair, bool, (a, b) => compare(a, b) === 1),
  method("isLessThan", "quantity_is_less_than", pair, bool, (a, b) => compare(a, b) === -1),
  method("compareTo", "quantity_compare_to", pair, int, compare),
  method("asApproximateFloat", "quantity_get_float", [quantity], double, toFloat),
  method("asInteger", "quantity_get_int", [quantity], int, toInteger),
  method("isInteger", "quantity_is_integer", [quantity], bool, (a) => wholeOf(a) !== undefined),
  method("add", "quantity_add", pair, quantityType, (a, b) => addTo(a, b.content)),
  method("add", "quantity_add_int", [quantity, int], quantityType, (a, b) => addTo(a, fromInt(b))),
  method("sub", "quantity_sub", pair, quantityType, (a, b) => addTo(a, negate(b.content))),
  method("sub", "quantity_sub_int", [quantity, int], quantityType, (a, b) => addTo(a, negate(fromInt(b)))),
];

function tryParse(text: string): Amount | undefined {
  try {
    return parseQuantity(text);
  } catch {
    return undefined;
  }
}

function parse(text: string): QuantityValue {
  const amount = tryParse(text);
  if (amount) return new QuantityValue(amount);
  throw new EvalError(
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  );
}

/** A quantity with a fraction or a small suffix is not an integer, even if its value is: `1000m`. */
function wholeOf({ content: { unscaled, scale } }: QuantityValue): bigint | undefined {
  if (unscaled === 0n) return 0n;
  // Far beyond 64 bits, the power alone would need too much memory.
  if (scale < 0 || scale > 19) return undefined;
  const value = unscaled * 10n ** BigInt(scale);
  return value <= maxInt && value >= minInt ? value : undefined;
}

function toInteger(value: QuantityValue): Int {
  const whole = wholeOf(value);
  if (whole === undefined) throw new EvalError("cannot convert value to integer");
  return toInt(whole);
}

function toFloat({ content: { unscaled, scale } }: QuantityValue): CelDouble {
  return new CelDouble(Number(`${unscaled}e${scale}`));
}

function addTo(a: QuantityValue, b: Amount): QuantityValue {
  try {
    return new QuantityValue(addAmounts(a.content, b));
  } catch (error) {
    if (error instanceof RangeError) throw new EvalError(error.message);
    throw error;
  }
}

function negate(amount: Amount): Amount {
  return { ...amount, unscaled: -amount.unscaled };
}

function fromInt(value: Int): Amount {
  return parseQuantity(String(value));
}
