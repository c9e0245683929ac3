import { isObject, setMember } from "../json/index.ts";
import { joinPath } from "../errors/index.ts";
import { canonicalizeQuantity, roundToThousandths } from "../quantity/index.ts";
import { type GoField, goFieldsOf, goTypeOf, structName } from "./go-fields.ts";
import type { BuiltinSchema } from "./schema-graph.ts";
import { explainTime, formatTime, parseTime } from "../time/index.ts";

/** A decoded object and its unknown fields. */
export interface DecodedBuiltIn {
  readonly object: Record<string, unknown>;
  /** The paths of unknown fields, which are dropped. */
  readonly unknown: readonly string[];
}

/**
 * Decodes an object of a built-in kind as Go does: drops unknown fields, nulls, and zero values that Go omits; adds the
 * zero values that Go writes.
 * @throws DecodeError for a value of a wrong type
 */
export function decodeBuiltIn(object: Record<string, unknown>, schema: BuiltinSchema): DecodedBuiltIn {
  const decoder = new Decoder();
  const decoded = decoder.struct(object, schema);
  if (decoder.mismatch) throw decoder.mismatch;
  return { object: decoded, unknown: decoder.unknown };
}

/** A value that Go could not decode into the field's type; clients get the message. */
export class DecodeError extends Error {}

/** Decodes a quantity in its canonical form; a value that is not a string is read as its JSON text. */
export function decodeQuantity(value: unknown): string {
  const text = markedFloat(value) ?? (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
  try {
    return canonicalizeQuantity(text);
  } catch (error) {
    throw new DecodeError((error as Error).message);
  }
}

/** A string or a number in a JSON text. */
const tokenPattern = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/gsu;
const floatPattern = /[:[,]\s*-?\d+(?:\.\d|[eE])/u;

/** Returns a JSON text with marks at the floats whose notation JavaScript would lose; undefined if there are none. */
export function markFloats(json: string): string | undefined {
  if (!floatPattern.test(json)) return undefined;
  let found = false;
  const marked = json.replaceAll(tokenPattern, (token) => {
    if (!/^[-\d].*[.eE]/u.test(token) || String(Number(token)) === token) return token;
    found = true;
    return JSON.stringify(makeMark() + token);
  });
  return found ? marked : undefined;
}

/**
 * Go never decodes a number with a point or an exponent into an integer, not even `1.0` and `1e3`. `JSON.parse` does not
 * keep the notation, so such numbers become strings that begin with this mark, which no client can know.
 */
let mark: string | undefined;

/** Creates the mark on first use, because loading Node's cryptography takes 6 ms. */
function makeMark(): string {
  return (mark ??= `\u0000${crypto.randomUUID()}`);
}

/** Returns the text of a marked float; undefined for any other value. */
function markedFloat(value: unknown): string | undefined {
  if (typeof value !== "string" || mark === undefined || !value.startsWith(mark)) return undefined;
  return value.slice(mark.length);
}

/** Times as Go writes them, which nearly all are, but not those of a leap day, which not every year has. */
const writtenTime =
  /^\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{6})?Z$/u;

/** Decodes a time, which Go writes in UTC, without a fraction or with six digits. */
export function decodeTime(value: string, isMicro: boolean): string {
  const written = writtenTime.exec(value);
  if (written && isMicro === (written[1] !== undefined)) return value;
  const why = explainTime(value, isMicro ? "micros" : "seconds");
  if (why !== undefined) throw new DecodeError(why);
  // A time that Go's parser accepts and ours does not is kept as it is.
  try {
    const whole = formatTime(parseTime(value));
    return isMicro ? `${whole.slice(0, -1)}${/\.\d{6}/u.exec(value)![0]}Z` : whole;
  } catch {
    return value;
  }
}

/** Returns why a text is not base64, in Go's words; undefined if it is. */
export function explainBase64(text: string): string | undefined {
  const at = findMalformedByte(text);
  return at === undefined ? undefined : `illegal base64 data at input byte ${at}`;
}

/** Returns the position at which Go stops decoding base64: it reads four characters at a time, and skips line breaks. */
function findMalformedByte(text: string): number | undefined {
  const end = text.search(/[^A-Za-z0-9+/\r\n]/u);
  const rest = text.slice(0, end === -1 ? undefined : end).replaceAll(/[\r\n]/gu, "").length % 4;
  if (end === -1) return rest === 0 ? undefined : text.length - rest;
  if (text[end] !== "=" || rest < 2) return end;
  let next = skipLineBreaks(text, end + 1);
  if (rest === 2) {
    if (text[next] !== "=") return next === text.length ? next : next - 1;
    next = skipLineBreaks(text, next + 1);
  }
  return next === text.length ? undefined : next;
}

function skipLineBreaks(text: string, index: number): number {
  const breaks = /^[\r\n]*/u.exec(text.slice(index))![0];
  return index + breaks.length;
}

/** Returns the name of a JSON value in the errors of Go's decoder. A number has its text where another number would be valid. */
export function jsonKind(value: unknown, wanted: string): string {
  if (Array.isArray(value)) return "array";
  if (isObject(value)) return "object";
  if (typeof value === "boolean") return "bool";
  if (typeof value !== "number") return typeof value;
  return /^(?:u?int|float)\d+$/u.test(wanted) ? `number ${numberText(value)}` : "number";
}

/** Go shows large integers with all of their digits. */
function numberText(value: number): string {
  const isLarge = Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e25;
  return isLarge ? BigInt(value).toString() : String(value);
}

/** Returns true if Go can decode a value into an integer of a format. */
export function isInteger(value: unknown, format: string | undefined): boolean {
  if (typeof value !== "number" || !Number.isInteger(value)) return false;
  const limit = 2 ** (format === "int32" ? 31 : 63);
  return value >= -limit && value < limit;
}

/** A field of a struct, with what Go's errors say of it. */
interface Field {
  readonly node: BuiltinSchema;
  readonly go: GoField | undefined;
  /** Its name in Go's paths. */
  readonly goName: string;
  /** Its value is a text that stays as it is, unless it is empty. */
  readonly isPlain: boolean;
  readonly target: GoTarget;
}

/** A value in Go's type errors: the struct that declares its field, and its Go type. */
interface GoTarget {
  readonly struct: string;
  readonly type: string;
}

const fieldsBySchema = new WeakMap<BuiltinSchema, ReadonlyMap<string, Field>>();

/** Returns the fields of a struct by name. */
function fieldsOf(schema: BuiltinSchema): ReadonlyMap<string, Field> {
  const known = fieldsBySchema.get(schema);
  if (known) return known;
  const declared = goFieldsOf(schema);
  const struct = structName(schema);
  const fields = new Map(
    Object.entries(schema.properties ?? {}).map(([name, node]): [string, Field] => {
      const go = declared.get(name);
      const target = { struct, type: go?.type ?? goTypeOf(node) };
      return [name, { node, go, goName: go?.path ?? name, isPlain: isPlainText(node), target }];
    }),
  );
  fieldsBySchema.set(schema, fields);
  return fields;
}

/** A part of the path to a value. */
interface Step {
  /** The name of a field, the key of a map, or the index of an item, as strict errors show it. */
  readonly strict: string | number;
  /** The name of a field in Go's type errors, which show neither keys nor indexes. */
  readonly go: string | undefined;
}

/** Decodes one object, and collects its unknown fields and the first mismatch. */
class Decoder {
  readonly unknown: string[] = [];
  /**
   * The first value of a wrong type, or that is not base64. Go continues after it, and reports an error of a custom
   * decoder (of a quantity, a time, an int-or-string) instead, if there is one: these are thrown.
   */
  mismatch: DecodeError | undefined;
  /** The path to the current value. Few values have an error that needs it as a text. */
  readonly #path: Step[] = [];

  struct(value: Record<string, unknown>, schema: BuiltinSchema): Record<string, unknown> {
    const fields = fieldsOf(schema);
    const result: Record<string, unknown> = {};
    for (const name of Object.keys(value)) {
      const child = value[name];
      const field = fields.get(name);
      if (!field) {
        this.unknown.push(joinPath(this.#strictPath, name));
        continue;
      }
      if (child === null || child === undefined) continue;
      if (field.isPlain && typeof child === "string" && child !== "" && markedFloat(child) === undefined) {
        result[name] = child;
        continue;
      }
      const { node, go, goName, target } = field;
      this.#path.push({ strict: name, go: goName });
      const decoded = this.#value(child, node, target);
      if (!this.#isOmitted(decoded, node, schema, go)) result[name] = decoded;
      this.#path.pop();
    }
    for (const [field, { value, struct }] of unsetValues(schema)) {
      result[field] ??= struct ? this.struct({}, struct) : value;
    }
    return result;
  }

  /** Decodes a value, which may be a marked float. */
  #value(raw: unknown, schema: BuiltinSchema, target: GoTarget): unknown {
    const { typeName, type } = schema;
    const float = markedFloat(raw);
    const value = float === undefined ? raw : Number(float);
    if (float !== undefined && schema["x-kubernetes-int-or-string"])
      throw this.#typeError(`number ${float}`, target, "int32");
    if (float !== undefined && type === "integer") {
      this.mismatch ??= this.#typeError(`number ${float}`, target, schema.format ?? "int32");
      return undefined;
    }
    if (typeName === "Quantity") return decodeQuantity(value);
    if (typeName === "Time" || typeName === "MicroTime") {
      if (typeof value !== "string") throw this.#mismatch(value, target, "string");
      return decodeTime(value, typeName === "MicroTime");
    }
    if (schema["x-kubernetes-int-or-string"]) {
      if (typeof value === "string" || isInteger(value, "int32")) return value;
      throw this.#mismatch(value, target, "int32");
    }
    if (schema["x-kubernetes-preserve-unknown-fields"] || type === undefined) return value;
    switch (type) {
      case "object": {
        if (!isObject(value)) return this.#reportMismatch(value, target);
        if (schema.properties) return this.struct(value, schema);
        if (!schema.additionalProperties) return value;
        return this.#map(value, schema.additionalProperties, target);
      }
      case "array": {
        const { items } = schema;
        if (!items) return value;
        if (!Array.isArray(value)) return this.#reportMismatch(value, target);
        return this.#list(value, items, { ...target, type: target.type.replace(/^\[\]/u, "") });
      }
      case "string":
        if (schema.format === "byte" && Array.isArray(value)) return this.#bytesOfNumbers(value, target);
        if (typeof value !== "string") return this.#reportMismatch(value, target);
        return schema.format === "byte" ? this.#base64(value) : value;
      case "boolean":
        return typeof value === "boolean" ? value : this.#reportMismatch(value, target);
      case "integer":
        return isInteger(value, schema.format)
          ? value
          : this.#reportMismatch(value, target, schema.format ?? "int32");
      case "number":
        return typeof value === "number" ? value : this.#reportMismatch(value, target);
    }
  }

  #list(values: readonly unknown[], schema: BuiltinSchema, target: GoTarget): unknown[] {
    return values.map((item, index) => {
      const filled: unknown = item === null ? zeroOf(schema) : item;
      return filled === null ? null : this.#below(index, filled, schema, target);
    });
  }

  #map(value: Record<string, unknown>, schema: BuiltinSchema, { struct }: GoTarget): Record<string, unknown> {
    if (schema.typeName === "Quantity") return decodeResources(value);
    const target = { struct, type: goTypeOf(schema) };
    const decoded: Record<string, unknown> = {};
    for (const [key, child] of Object.entries(value)) {
      const entry = child === null ? zeroOfEntry(schema) : this.#below(key, child, schema, target);
      setMember(decoded, key, entry);
    }
    return decoded;
  }

  /** Decodes an item of a list, or an entry of a map. */
  #below(strict: string | number, value: unknown, schema: BuiltinSchema, target: GoTarget): unknown {
    this.#path.push({ strict, go: undefined });
    const decoded = this.#value(value, schema, target);
    this.#path.pop();
    return decoded;
  }

  #base64(value: string): string {
    const why = explainBase64(value);
    if (why !== undefined) this.mismatch ??= new DecodeError(why);
    return value;
  }

  /** Go accepts a list of numbers for bytes, too. */
  #bytesOfNumbers(values: readonly unknown[], target: GoTarget): string {
    const bytes = values.map((value) => {
      if (value === null) return 0;
      if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value < 256) return value;
      this.#reportMismatch(value, target, "uint8");
      return 0;
    });
    return Buffer.from(bytes).toString("base64");
  }

  /** Returns true if Go omits the current field with this value: an empty collection, or a zero that its declaration omits. */
  #isOmitted(value: unknown, node: BuiltinSchema, struct: BuiltinSchema, go: GoField | undefined): boolean {
    if (go?.zero === "omitted" && (value === "" || value === 0 || value === false)) return true;
    if (node.format === "byte" && value === "") return go?.zero !== "written";
    if (!isEmptyCollection(value, node)) return false;
    return !(struct.required?.includes(go?.name ?? "") || keptEmpty.has(this.#goPath));
  }

  #reportMismatch(value: unknown, target: GoTarget, type = target.type): undefined {
    this.mismatch ??= this.#mismatch(value, target, type);
    return undefined;
  }

  #mismatch(value: unknown, target: GoTarget, type: string): DecodeError {
    return this.#typeError(jsonKind(value, type), target, type);
  }

  /** Makes the error of a field in Go's words, such as `NodeCondition.status.conditions.type`. */
  #typeError(what: string, { struct }: GoTarget, type: string): DecodeError {
    const field = `${struct}.${this.#goPath}`;
    return new DecodeError(`json: cannot unmarshal ${what} into Go struct field ${field} of type ${type}`);
  }

  get #strictPath(): string {
    return this.#path.reduce(
      (path, { strict }) => (typeof strict === "number" ? `${path}[${strict}]` : joinPath(path, strict)),
      "",
    );
  }

  get #goPath(): string {
    return this.#path.flatMap(({ go }) => go ?? []).join(".");
  }
}

/** Resource amounts are rounded up to thousandths. */
function decodeResources(value: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([name, amount]) => [name, roundToThousandths(decodeQuantity(amount ?? "0"))]),
  );
}

/** Returns true for a field whose texts stay as they are, as most do. */
function isPlainText({ type, typeName, format, ...node }: BuiltinSchema): boolean {
  return (
    type === "string" && typeName === undefined && format === undefined && !node["x-kubernetes-int-or-string"]
  );
}

/** Returns the value that Go decodes from null in a list, which is the zero value of the items' type. */
function zeroOf({ type, typeName }: BuiltinSchema): unknown {
  if (typeName === "Quantity") return "0";
  switch (type) {
    case "string":
      return typeName === undefined ? "" : null;
    case "integer":
    case "number":
      return 0;
    case "boolean":
      return false;
    case "object":
      return typeName === "RawExtension" ? null : {};
    default:
      return null;
  }
}

/** Returns the value that Go decodes from null in a map. */
function zeroOfEntry({ type }: BuiltinSchema): unknown {
  return type === "string" ? "" : type === "array" ? [] : {};
}

/**
 * Empty collections that are not omitted: empty managedFields ask to reset them, the empty rules of a role and lists of an
 * EndpointSlice have field managers, and validation distinguishes an empty capacity or overhead from an absent one.
 */
const keptEmpty = new Set(
  "metadata.managedFields rules ports endpoints spec.capacity spec.overhead".split(" "),
);

function isEmptyCollection(value: unknown, { type, properties, typeName }: BuiltinSchema): boolean {
  // An empty list as a value of any type, such as the default of a schema, is kept.
  if (Array.isArray(value)) return type !== undefined && value.length === 0;
  const isMap = type === "object" && !properties && typeName === undefined;
  return isMap && isObject(value) && Object.keys(value).length === 0;
}

/** The value that a field without one gets, which may be the zero value of a struct. */
interface UnsetValue {
  readonly value?: unknown;
  readonly struct?: BuiltinSchema;
}

const unsetBySchema = new WeakMap<BuiltinSchema, readonly (readonly [string, UnsetValue])[]>();

/** Returns the fields that have a value even if the client sends none: defaults, and what Go writes. */
function unsetValues(schema: BuiltinSchema): readonly (readonly [string, UnsetValue])[] {
  let fields = unsetBySchema.get(schema);
  if (!fields) {
    const declared = goFieldsOf(schema);
    fields = Object.entries(schema.properties ?? {}).flatMap(([name, node]) => {
      const unset = unsetValue(schema, name, node, declared.get(name));
      return unset ? [[name, unset] as const] : [];
    });
    unsetBySchema.set(schema, fields);
  }
  return fields;
}

/** Types whose lists Go writes as null if they are not set; in most kinds validation refuses objects without them. */
const withNullLists = new Set([
  "batch/v1.PodFailurePolicy",
  "batch/v1.SuccessPolicy",
  "core/v1.ContainerImage",
  "core/v1.LimitRangeSpec",
  "core/v1.ProjectedVolumeSource",
  "discovery/v1.EndpointSlice",
  "rbac/v1.ClusterRole",
  "rbac/v1.Role",
  "resource/v1.DeviceClaim",
  "storage/v1.CSINodeDriver",
  "storage/v1.CSINodeSpec",
]);

/** Defaults on which further ones of the kind depend. */
const setByKinds = new Set(["apps/v1.StatefulSetUpdateStrategy.type"]);

function unsetValue(
  struct: BuiltinSchema,
  name: string,
  node: BuiltinSchema,
  go: GoField | undefined,
): UnsetValue | undefined {
  if (go?.zero === "empty struct")
    return name === "metadata" && isKind(struct) ? undefined : { struct: node };
  const value = node.serverDefault ?? node.default;
  if (value !== undefined && !setByKinds.has(`${struct.typeName}.${name}`)) {
    return go?.zero === "omitted" && !value ? undefined : { value };
  }
  const zero = writtenZero(struct, node, go);
  return zero === undefined ? undefined : { value: zero };
}

/** The metadata of an object is always there. */
function isKind({ properties }: BuiltinSchema): boolean {
  return properties?.["apiVersion"] !== undefined && properties["kind"] !== undefined;
}

function writtenZero(struct: BuiltinSchema, node: BuiltinSchema, go: GoField | undefined): unknown {
  // Validation reports a required field as absent.
  if (go?.zero === "null") return struct.required?.includes(go.name) ? undefined : null;
  if (go?.zero !== "written") return undefined;
  if (node.typeName === "Quantity") return "0";
  if (node.typeName === "Time" || node.typeName === "MicroTime") return null;
  if (node.typeName !== undefined) return undefined;
  if (node.type === "array") return withNullLists.has(struct.typeName ?? "") ? null : undefined;
  return node.type === "object" || node.format === "byte" ? undefined : (zeroOf(node) ?? undefined);
}
