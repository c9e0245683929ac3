import { CelDuration, CelTimestamp } from "./time.ts";
import { EvalError } from "./eval-error.ts";
import { type CelType, listType, mapType, optionalType, types } from "../types/type.ts";

const anyList = listType(types.dyn);
const anyMap = mapType(types.dyn, types.dyn);
const anyOptional = optionalType(types.dyn);

/** Returns the run-time type of a value, without the item types of lists and maps. */
export function typeOf(value: Value): CelType {
  if (typeof value === "boolean") return types.bool;
  if (isInt(value)) return types.int;
  if (typeof value === "string") return types.string;
  if (value === null) return types.null;
  if (value instanceof CelUint) return types.uint;
  if (value instanceof CelDouble) return types.double;
  if (value instanceof CelList) return anyList;
  if (value instanceof CelMap) return anyMap;
  if (value instanceof Uint8Array) return types.bytes;
  if (value instanceof CelTimestamp) return types.timestamp;
  if (value instanceof CelDuration) return types.duration;
  if (value instanceof TypeValue) return types.type;
  if (value instanceof CelOptional) return anyOptional;
  return value.celType;
}

/** Any CEL value. Plain numbers and bigints are ints. */
export type Value =
  | null
  | boolean
  | Int
  | string
  | Uint8Array
  | CelUint
  | CelDouble
  | CelTimestamp
  | CelDuration
  | CelList
  | CelMap
  | CelObject
  | CelOptional
  | TypeValue
  | ExtensionValue;

/**
 * A CEL int: a number if it is a safe integer, else a bigint. Every int has exactly one representation, so that `===`
 * and map keys work; almost all ints in practice are numbers.
 */
export type Int = number | bigint;

/** The bounds of int64 and uint64. */
export const maxInt = 2n ** 63n - 1n;
export const minInt = -(2n ** 63n);
export const maxUint = 2n ** 64n - 1n;

/** Normalizes a bigint: one that is a safe integer becomes a number. */
export function toInt(value: bigint): Int {
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;
}

/** Normalizes a bigint. Throws an EvalError if it is out of range for int64. */
export function checkInt(value: bigint): Int {
  if (value > maxInt || value < minInt) throw new EvalError("integer overflow");
  return toInt(value);
}

/** Normalizes a bigint. Throws an EvalError if it is out of range for uint64. */
export function checkUint(value: bigint): Int {
  if (value < 0n || value > maxUint) throw new EvalError("unsigned integer overflow");
  return toInt(value);
}

export function isInt(value: unknown): value is Int {
  return typeof value === "number" || typeof value === "bigint";
}

/** JavaScript compares numbers and bigints by their mathematical value. */
export function compareNumbers(a: Int, b: Int): number {
  if (a < b) return -1;
  return a > b ? 1 : 0;
}

/** A CEL uint. Boxed, to distinguish it from an int. */
export class CelUint {
  readonly value: Int;

  constructor(value: Int) {
    this.value = typeof value === "bigint" ? toInt(value) : value;
  }
}

/** A CEL double. Boxed, because plain numbers are ints, which are far more common. */
export class CelDouble {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** A list. Lists over JSON adapt their items on access. */
export abstract class CelList {
  abstract readonly size: number;
  abstract at(index: number): Value;

  /** Compares sets and list maps, in any order; other lists have no method. */
  equals?(other: CelList): boolean;
  /** Evaluates `+` of sets and list maps, which merges; other lists have no method. */
  plus?(other: CelList): CelList;

  *[Symbol.iterator](): IterableIterator<Value> {
    for (let index = 0; index < this.size; index++) yield this.at(index);
  }

  toArray(): Value[] {
    return Array.from({ length: this.size }, (_, index) => this.at(index));
  }
}

/** A list of CEL values. */
export class NativeList extends CelList {
  readonly items: readonly Value[];

  constructor(items: readonly Value[]) {
    super();
    this.items = items;
  }

  get size(): number {
    return this.items.length;
  }

  at(index: number): Value {
    return this.items[index]!;
  }

  override toArray(): Value[] {
    return [...this.items];
  }
}

/** A map with keys that are strings, bools or numbers. */
export abstract class CelMap {
  abstract readonly size: number;
  abstract find(key: Value): Value | undefined;
  abstract keys(): Value[];
}

/** A map of CEL values. Equal numbers of different types are the same key. */
export class NativeMap extends CelMap {
  readonly #entries = new Map<unknown, { readonly key: Value; readonly value: Value }>();

  constructor(entries: Iterable<readonly [Value, Value]> = []) {
    super();
    for (const [key, value] of entries) this.insert(key, value);
  }

  get size(): number {
    return this.#entries.size;
  }

  find(key: Value): Value | undefined {
    return this.#entries.get(normalizeKey(key))?.value;
  }

  keys(): Value[] {
    return Array.from(this.#entries.values(), ({ key }) => key);
  }

  /** Adds an entry; only for a map that nobody else references yet. */
  insert(key: Value, value: Value): void {
    const normalized = normalizeKey(key);
    if (normalized === undefined) throw new EvalError("unsupported key type");
    if (this.#entries.has(normalized))
      throw new EvalError(`insert failed: key ${formatKey(key)} already exists`);
    this.#entries.set(normalized, { key, value });
  }
}

/** Returns a JavaScript value that is identical for equal keys; undefined for an invalid key. */
export function normalizeKey(key: Value): unknown {
  if (typeof key === "string" || typeof key === "boolean" || isInt(key)) return key;
  if (key instanceof CelUint) return key.value;
  if (!(key instanceof CelDouble)) return undefined;
  const { value } = key;
  if (!Number.isInteger(value)) return undefined;
  return Number.isSafeInteger(value) ? value + 0 : BigInt(value);
}

/** Formats a key as in messages. */
export function formatKey(key: Value): string {
  if (key instanceof CelUint || key instanceof CelDouble) return String(key.value);
  return typeof key === "object" ? "" : String(key);
}

/** A struct: its fields are declared by name, and may be unset. */
export abstract class CelObject {
  abstract readonly celType: CelType;
  /** The number of fields, declared or not. */
  abstract readonly size: number;
  abstract has(field: string): boolean;
  /** Returns the value of a field; undefined if it is not set. */
  abstract find(field: string): Value | undefined;
  /** The names of the fields that are set. */
  abstract fields(): string[];
  /** Returns false if another object has other values in fields that no schema declares. */
  hasSameRest(_other: CelObject): boolean {
    return true;
  }
}

/** The value of a struct literal: `Object.spec{replicas: 3}`. */
export class WrittenObject extends CelObject {
  readonly celType: CelType;
  readonly values: ReadonlyMap<string, Value>;

  constructor(type: CelType, values: ReadonlyMap<string, Value>) {
    super();
    this.celType = type;
    this.values = values;
  }

  get size(): number {
    return this.values.size;
  }

  has(field: string): boolean {
    return this.values.has(field);
  }

  find(field: string): Value | undefined {
    return this.values.get(field);
  }

  fields(): string[] {
    return [...this.values.keys()];
  }
}

/** A value that may be absent: `undefined` means absent, `null` is a value. */
export class CelOptional {
  static readonly none = new CelOptional(undefined);
  readonly #value: Value | undefined;

  constructor(value: Value | undefined) {
    this.#value = value;
  }

  get value(): Value | undefined {
    return this.#value;
  }

  get isPresent(): boolean {
    return this.#value !== undefined;
  }
}

/** An optional whose value is of another type than its schema's: it is present, but can't be read. */
export class UnreadableOptional extends CelOptional {
  readonly #message: string;

  constructor(message: string) {
    super(undefined);
    this.#message = message;
  }

  override get value(): never {
    throw new EvalError(this.#message);
  }

  override get isPresent(): true {
    return true;
  }
}

/** A value of a library's type: a URL, a quantity, an IP address. */
export abstract class ExtensionValue {
  abstract readonly celType: CelType;
  abstract equals(other: Value): boolean;
}

/** A value of a library's type that holds its content. */
export abstract class Boxed<Content> extends ExtensionValue {
  readonly content: Content;

  constructor(content: Content) {
    super();
    this.content = content;
  }
}

/** A type as a value: the result of `type(x)`, and the value of a type's name. */
export class TypeValue {
  readonly of: CelType;

  constructor(of: CelType) {
    this.of = of;
  }

  get name(): string {
    return this.of.runtimeName;
  }
}

/** Returns the number of code points in a string. */
export function textLength(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xd800 && unit <= 0xdbff) count--;
  }
  return count;
}

/** CEL's `==`: numbers are compared by value across types; other values of different types are not equal. */
export function isEqualValue(a: Value, b: Value): boolean {
  if (a === b) return true;
  const order = compareNumeric(a, b);
  if (order !== undefined) return order === 0;
  if (numberOf(a) !== undefined) return false;
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

/** Returns the mathematical value of a number of any type; undefined for any other value. */
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
  if (fields.length !== b.fields().length || a.size !== b.size || !a.hasSameRest(b)) return false;
  return fields.every((field) => b.has(field) && isEqualValue(a.find(field)!, b.find(field)!));
}

function isEqualOptional(a: CelOptional, b: CelOptional): boolean {
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return isEqualValue(a.value, b.value);
}
