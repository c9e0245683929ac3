import { type JSONObject, isEqual, isObject, memberOf } from "../../json/index.ts";
import { parseDuration } from "../../schema/formats/times.ts";
import { type JSONSchema, itemsOf, valuesOf } from "../../schema/json-schema.ts";
import { type CelType, objectType } from "../types/type.ts";
import {
  Boxed,
  CelDouble,
  CelList,
  CelMap,
  CelObject,
  NativeList,
  type Value,
  isEqualValue,
  normalizeKey,
  toInt,
} from "../values/value.ts";
import { EvalError } from "../values/eval-error.ts";
import { CelDuration, CelTimestamp, parseTimestamp } from "../values/time.ts";
import { escapeName, withMetadata } from "./decl-type.ts";
import { reservedWords } from "../syntax/token.ts";

/** Converts a JSON value to a CEL value; the content of lists and objects is converted on access. */
export type Adapter = (json: unknown) => Value;

/** Creates the adapter of a schema. Values that don't match the schema fail on access. */
export function adapterOf(schema: JSONSchema, isResource = false): Adapter {
  const adapt = adapterOfKind(schema, isResource || schema["x-kubernetes-embedded-resource"] === true);
  const nullable = schema.nullable === true;
  return (json) => {
    if (json !== null && json !== undefined) return adapt(json);
    if (nullable) return null;
    throw new EvalError("invalid data, got null for schema with nullable=false");
  };
}

function adapterOfKind(schema: JSONSchema, isResource: boolean): Adapter {
  if (schema["x-kubernetes-int-or-string"]) return adaptIntOrString;
  switch (schema.type) {
    case "object":
      return objectAdapter(isResource ? withMetadata(schema) : schema);
    case "array": {
      const items = itemsOf(schema);
      const item = lazy(() => adapterOf(items ?? {}));
      return (json) => {
        if (!Array.isArray(json))
          throw new EvalError("invalid data, expected an array for the provided schema with type=array");
        return adaptList(json, schema, item);
      };
    }
    case "string":
      return stringAdapter(schema.format);
    case "number":
      return (json) => new CelDouble(numberOf(json, "float"));
    case "integer":
      return (json) => integerOf(json);
    case "boolean":
      return (json) => {
        if (typeof json === "boolean") return json;
        throw new EvalError(`invalid data, expected bool, got ${goType(json)}`);
      };
    default:
      if (schema["x-kubernetes-preserve-unknown-fields"]) return (json) => new UnknownValue(json);
      return () => {
        const expected =
          "object, array, number, integer, boolean or string, or no type with x-kubernetes-int-or-string";
        throw new EvalError(
          `invalid type, expected ${expected} or x-kubernetes-preserve-unknown-fields is true, got ${schema.type ?? ""}`,
        );
      };
  }
}

/** Adapters are created on first use, because rules access only a small part of a schema. */
function lazy(make: () => Adapter): Adapter {
  let adapter: Adapter | undefined;
  return (json) => (adapter ??= make())(json);
}

/** A property: its name in JSON, and its adapter. */
interface Field {
  readonly name: string;
  readonly adapt: Adapter;
}

function objectAdapter(schema: JSONSchema): Adapter {
  const values = valuesOf(schema);
  if (values && Object.keys(schema.properties ?? {}).length === 0) {
    const value = lazy(() => adapterOf(values));
    return (json) => new SchemaMap(objectOf(json), value);
  }
  const fields = new Map<string, Field>();
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    const escaped = escapeName(name);
    if (escaped !== undefined) fields.set(escaped, { name, adapt: lazy(() => adapterOf(child)) });
  }
  return (json) => new SchemaObject(objectOf(json), fields);
}

function objectOf(json: unknown): JSONObject<unknown> {
  if (isObject(json)) return json;
  throw new EvalError("invalid data, expected a map for the provided schema with type=object");
}

const anyObject = objectType("object");

/** An object with declared properties. */
class SchemaObject extends CelObject {
  readonly celType: CelType = anyObject;
  readonly #json: JSONObject<unknown>;
  readonly #fields: ReadonlyMap<string, Field>;

  constructor(json: JSONObject<unknown>, fields: ReadonlyMap<string, Field>) {
    super();
    this.#json = json;
    this.#fields = fields;
  }

  get size(): number {
    return Object.keys(this.#json).length;
  }

  /** A field with a value of a wrong type can't be tested either. */
  has(field: string): boolean {
    return this.find(field) !== undefined;
  }

  find(field: string): Value | undefined {
    const json = this.#read(field);
    return json === undefined ? undefined : this.#fieldOf(field)!.adapt(json);
  }

  /** A null field counts as absent, nullable or not. */
  #read(field: string): unknown {
    const known = this.#fieldOf(field);
    return known ? (memberOf(this.#json, known.name) ?? undefined) : undefined;
  }

  #fieldOf(field: string): Field | undefined {
    return (
      this.#fields.get(field) ?? (reservedWords.has(field) ? this.#fields.get(`__${field}__`) : undefined)
    );
  }

  override hasSameRest(other: CelObject): boolean {
    if (!(other instanceof SchemaObject)) return true;
    const declared = new Set(Array.from(this.#fields.values(), ({ name }) => name));
    return Object.keys(this.#json).every(
      (name) => declared.has(name) || isEqual(this.#json[name], other.#json[name]),
    );
  }

  fields(): string[] {
    return Array.from(this.#fields.keys()).filter((field) => this.#read(field) !== undefined);
  }
}

/** A map whose values share one schema. */
class SchemaMap extends CelMap {
  readonly #json: JSONObject<unknown>;
  readonly #adapt: Adapter;

  constructor(json: JSONObject<unknown>, adapt: Adapter) {
    super();
    this.#json = json;
    this.#adapt = adapt;
  }

  get size(): number {
    return Object.keys(this.#json).length;
  }

  find(key: Value): Value | undefined {
    const json = typeof key === "string" ? memberOf(this.#json, key) : undefined;
    return json === undefined ? undefined : this.#adapt(json);
  }

  keys(): Value[] {
    return Object.keys(this.#json);
  }
}

function adaptList(json: readonly unknown[], schema: JSONSchema, adapt: Adapter): CelList {
  switch (schema["x-kubernetes-list-type"]) {
    case "set":
      return new SetList(json, adapt);
    case "map": {
      const keys = (schema["x-kubernetes-list-map-keys"] ?? []).map((key) => escapeName(key) ?? key);
      return new MapList(json, adapt, keys);
    }
    default:
      return new SchemaList(json, adapt);
  }
}

/** A list over JSON, whose items are adapted on access. */
class SchemaList extends CelList {
  protected readonly json: readonly unknown[];
  protected readonly adapt: Adapter;

  constructor(json: readonly unknown[], adapt: Adapter) {
    super();
    this.json = json;
    this.adapt = adapt;
  }

  get size(): number {
    return this.json.length;
  }

  at(index: number): Value {
    return this.adapt(this.json[index]);
  }
}

/** A list of type set: equal in any order; `+` adds only items that are missing. */
class SetList extends SchemaList {
  override equals(other: CelList): boolean {
    if (this.size !== other.size) return false;
    return other.toArray().every((item) => includes(this.toArray(), item));
  }

  override plus(other: CelList): CelList {
    const items = this.toArray();
    for (const item of other) if (!includes(items, item)) items.push(item);
    return new NativeList(items);
  }
}

/** A list of type map: equal in any order; `+` replaces items by their keys. */
class MapList extends SchemaList {
  readonly #keys: readonly string[];

  constructor(json: readonly unknown[], adapt: Adapter, keys: readonly string[]) {
    super(json, adapt);
    this.#keys = keys;
  }

  override equals(other: CelList): boolean {
    if (this.size !== other.size) return false;
    const items = new Map(this.toArray().map((item) => [this.#keyOf(item), item]));
    return other.toArray().every((item) => {
      const counterpart = items.get(this.#keyOf(item));
      return counterpart !== undefined && isEqualValue(counterpart, item);
    });
  }

  /** Items of the other list replace those with the same keys, in place. */
  override plus(other: CelList): CelList {
    const items = this.toArray();
    const positions = new Map(items.map((item, index) => [this.#keyOf(item), index]));
    for (const item of other) {
      const position = positions.get(this.#keyOf(item));
      if (position === undefined) items.push(item);
      else items[position] = item;
    }
    return new NativeList(items);
  }

  #keyOf(item: Value): string {
    const values = this.#keys.map((key) => {
      const value = item instanceof CelObject || item instanceof CelMap ? item.find(key) : undefined;
      return value === undefined ? null : String(normalizeKey(value));
    });
    return JSON.stringify(values);
  }
}

function includes(items: readonly Value[], wanted: Value): boolean {
  return items.some((item) => isEqualValue(item, wanted));
}

/** Data without a schema, which can only be compared. */
class UnknownValue extends Boxed<unknown> {
  readonly celType: CelType = objectType("unknown");

  equals(other: Value): boolean {
    return other instanceof UnknownValue && isEqual(this.content, other.content);
  }
}

function adaptIntOrString(json: unknown): Value {
  if (typeof json === "string") return json;
  if (typeof json === "bigint" || Number.isInteger(json)) return integerOf(json);
  throw new EvalError("invalid data, expected XIntOrString value to be either a string or integer");
}

function integerOf(json: unknown): Value {
  if (typeof json === "bigint") return toInt(json);
  if (Number.isSafeInteger(json)) return json as number;
  if (Number.isInteger(json) && Math.abs(json as number) < 2 ** 63) return toInt(BigInt(json as number));
  throw new EvalError(`invalid data, expected int, got ${goType(json)}`);
}

function numberOf(json: unknown, expected: string): number {
  if (typeof json === "number") return json;
  if (typeof json === "bigint") return Number(json);
  throw new EvalError(`invalid data, expected ${expected}, got ${goType(json)}`);
}

/** The parsers of formats whose values are not strings in CEL. */
const formatParsers: Readonly<Record<string, (text: string) => Value>> = {
  duration: (text) => {
    const nanos = parseDuration(text);
    if (nanos !== undefined) return new CelDuration(nanos);
    throw new EvalError(`Invalid duration ${text}: unable to parse ${text} as duration`);
  },
  date: (text) => new CelTimestamp(parseTime(`${text}T00:00:00Z`, `Invalid date formatted string ${text}`)),
  "date-time": (text) => new CelTimestamp(parseTime(text, `Invalid date-time formatted string ${text}`)),
  byte: (text) => {
    if (!/^[A-Za-z0-9_-]*={0,2}$/.test(text)) throw new EvalError(`Invalid byte formatted string ${text}`);
    return new Uint8Array(Buffer.from(text, "base64url"));
  },
};

function stringAdapter(format: string | undefined): Adapter {
  const parse = formatParsers[format ?? ""];
  return (json) => {
    if (typeof json !== "string") throw new EvalError(`invalid data, expected string, got ${goType(json)}`);
    return parse ? parse(json) : json;
  };
}

function parseTime(text: string, message: string): bigint {
  const time = parseTimestamp(text) ?? parseTimestamp(`${text}Z`);
  if (!time) throw new EvalError(message);
  return time.nanos;
}

/** The name of a JSON value's type in Go's decoder. */
function goType(json: unknown): string {
  if (typeof json === "string") return "string";
  if (typeof json === "boolean") return "bool";
  if (typeof json === "number") return Number.isInteger(json) ? "int64" : "float64";
  return Array.isArray(json) ? "[]interface {}" : "map[string]interface {}";
}
