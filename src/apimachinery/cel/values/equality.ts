import {
  CelDouble,
  CelList,
  CelMap,
  CelObject,
  CelOptional,
  CelUint,
  ExtensionValue,
  type Int,
  TypeValue,
  type Value,
  compareNumbers,
  isInt,
} from "./value.ts";
import { CelDuration, CelTimestamp } from "./time.ts";

/** CEL's `==`: numbers are compared by value across types; other values of different types are not equal. */
export function isEqualValue(a: Value, b: Value): boolean {
  if (a === b) return true;
  const order = compareNumeric(a, b);
  if (order !== undefined) return order === 0;
  if (isNumber(a)) return false;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (a instanceof CelList) return b instanceof CelList && isEqualList(a, b);
  if (a instanceof CelMap) return b instanceof CelMap && isEqualMap(a, b);
  if (a instanceof CelObject) return b instanceof CelObject && isEqualObject(a, b);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (a instanceof CelTimestamp) return b instanceof CelTimestamp && a.nanos === b.nanos;
  if (a instanceof CelDuration) return b instanceof CelDuration && a.nanos === b.nanos;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  if (a instanceof CelOptional) return b instanceof CelOptional && isEqualOptional(a, b);
  return a instanceof ExtensionValue && a.equals(b);
}

/** The mathematical value of a number of any type. */
export function numberOf(value: Value): Int | undefined {
  if (isInt(value)) return value;
  return value instanceof CelUint || value instanceof CelDouble ? value.value : undefined;
}

/**
 * Compares two numbers of any types. Returns NaN for NaN, and undefined unless both are numbers.
 * Compared with a double, an int loses precision, as in cel-go.
 */
export function compareNumeric(a: Value, b: Value): number | undefined {
  const [first, second] = [numberOf(a), numberOf(b)];
  if (first === undefined || second === undefined) return undefined;
  if (!(a instanceof CelDouble) && !(b instanceof CelDouble)) return compareNumbers(first, second);
  const [x, y] = [Number(first), Number(second)];
  return Number.isNaN(x) || Number.isNaN(y) ? Number.NaN : compareNumbers(x, y);
}

function isNumber(value: Value): boolean {
  return numberOf(value) !== undefined;
}

function isEqualList(a: CelList, b: CelList): boolean {
  if (a.equals) return a.equals(b);
  if (b.equals) return b.equals(a);
  if (a.size !== b.size) return false;
  for (let index = 0; index < a.size; index++) if (!isEqualValue(a.at(index), b.at(index))) return false;
  return true;
}

function isEqualMap(a: CelMap, b: CelMap): boolean {
  if (a.size !== b.size) return false;
  return a.keys().every((key) => {
    const other = b.find(key);
    return other !== undefined && isEqualValue(a.find(key)!, other);
  });
}

function isEqualObject(a: CelObject, b: CelObject): boolean {
  const fields = a.fields();
  if (fields.length !== b.fields().length) return false;
  return fields.every((field) => b.has(field) && isEqualValue(a.find(field)!, b.find(field)!));
}

function isEqualOptional(a: CelOptional, b: CelOptional): boolean {
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return isEqualValue(a.value, b.value);
}
