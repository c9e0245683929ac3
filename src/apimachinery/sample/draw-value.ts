import { isEqual, isObject, type JSONObject, setMember } from "../json/index.ts";
import { compilePattern, itemsOf, type JSONSchema, valuesOf } from "../schema/index.ts";
import type { Random } from "./random.ts";
import { narrow, type NarrowSchema } from "./narrow.ts";
import { samplePattern } from "./sample-pattern.ts";
import { commonTexts, typicalKeys, typicalNumbers, typicalTexts } from "./typical-values.ts";

/** The place of a value, without indexes and keys: `spec.ports[].name`. */
export type FieldName = string;

/** The source of values. */
export interface Drawing {
  readonly random: Random;
  /** The user's values for fields whose meaning the schema doesn't say. */
  readonly values: Readonly<Record<FieldName, readonly unknown[]>>;
  /** The share of the optional fields that are set in an object, from 0 to 1. */
  readonly optional: number;
  /** How many of the texts that a field admits are drawn, the most typical first. Default: 3. */
  readonly texts?: number;
}

/**
 * Draws a value that a schema is likely to admit, as a typical user would write it. The caller must validate it: branches of
 * the schema may exclude each other, and rules are ignored.
 */
export function drawValue(schema: JSONSchema, field: FieldName, drawing: Drawing): unknown {
  const { random, values } = drawing;
  const userValues = values[field];
  if (userValues && userValues.length > 0) return random.pick(userValues);
  const narrowed = narrow(schema, random);
  if (narrowed.enum && narrowed.enum.length > 0) return random.pick(narrowed.enum);
  if (narrowed.example !== undefined && random.chance(0.5)) return narrowed.example;
  if (isAnyResource(narrowed)) return embeddedResource(random);
  switch (drawType(narrowed, random)) {
    case "array":
      return drawList(narrowed, field, drawing);
    case "object":
      return drawObject(narrowed, field, drawing);
    case "integer":
    case "number":
      return drawNumber(narrowed, field, random);
    case "boolean":
      return random.chance(0.5);
    default:
      return drawText(narrowed, field, drawing);
  }
}

/** Returns the name of a field below another. Without `name`, it is an item of a list, or a value of a map. */
export function fieldBelow(field: FieldName, name?: string): FieldName {
  if (name === undefined) return `${field}[]`;
  return field === "" ? name : `${field}.${name}`;
}

function drawType({ type, ...schema }: NarrowSchema, random: Random): string | undefined {
  if (type !== undefined && type !== "") return type;
  if (schema["x-kubernetes-int-or-string"]) return random.pick(["integer", "string"]);
  return schema["x-kubernetes-preserve-unknown-fields"] ? "object" : "string";
}

/** Returns whether a schema wants an object of Kubernetes, and no field of it in particular. */
function isAnyResource({ required = [], ...schema }: NarrowSchema): boolean {
  const meta = ["apiVersion", "kind", "metadata"];
  return schema["x-kubernetes-embedded-resource"] === true && required.every((name) => meta.includes(name));
}

function embeddedResource(random: Random): unknown {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: random.pick(["alpha", "beta"]) } };
}

/** The depth below which only required fields are drawn. */
const mostDepth = 7;

function drawObject(schema: NarrowSchema, field: FieldName, drawing: Drawing): unknown {
  const { random } = drawing;
  const { properties = {}, required = [], absent } = schema;
  const object: JSONObject<unknown> = {};
  const names = Object.keys(properties).filter((name) => !absent.has(name));
  const depth = field.split(/\.|\[/).length;
  // Deep and wide objects get fewer optional fields, or values would grow without end.
  const optional =
    depth > mostDepth
      ? 0
      : Math.min(drawing.optional, (4 * drawing.optional) / (depth * 0.5 + names.length / 2));
  for (const name of names) {
    if (!required.includes(name) && !random.chance(optional)) continue;
    setMember(object, name, drawValue(properties[name]!, fieldBelow(field, name), drawing));
  }
  if (!valuesOf(schema)) return object;
  return { ...object, ...drawMap(schema, field, drawing) };
}

function drawMap(schema: NarrowSchema, field: FieldName, drawing: Drawing): JSONObject<unknown> {
  const count = drawCount(schema.minProperties, schema.maxProperties, drawing);
  const typical = typicalKeys(lastName(field));
  const map: JSONObject<unknown> = {};
  for (let at = 0; at < count; at++) {
    const value = drawValue(valuesOf(schema)!, fieldBelow(field), drawing);
    setMember(map, typical[at] ?? `${typical[0]}-${at}`, value);
  }
  return map;
}

function drawList(schema: NarrowSchema, field: FieldName, drawing: Drawing): unknown[] {
  const items = itemsOf(schema) ?? {};
  const count = drawCount(schema.minItems, schema.maxItems, drawing);
  const list: unknown[] = [];
  for (let tries = 0; list.length < count && tries < count * 5; tries++) {
    const item = drawValue(items, fieldBelow(field), drawing);
    if (!isDuplicate(schema, list, item)) list.push(item);
  }
  // There are fewer typical values than the list needs.
  const [key] = schema["x-kubernetes-list-map-keys"] ?? [];
  for (let number = 1; list.length > 0 && list.length < Math.min(schema.minItems ?? 0, count); number++)
    list.push(numbered(list[0], key, number));
  return list;
}

/** Makes a copy of an item that differs from it by a number: in its text, or in a field if it is an object. */
export function numbered(item: unknown, key: string | undefined, number: number): unknown {
  if (typeof item === "string") return `${item}${number}`;
  if (typeof item === "number") return item + number;
  if (key === undefined || !isObject(item)) return item;
  return { ...item, [key]: numbered(item[key], undefined, number) };
}

/** The most items that are drawn, unless more are required. */
const mostItems = 2;

/** Draws the size of a list or a map, which is as likely to be empty as an optional field is to be absent. */
function drawCount(least = 0, most = Infinity, { random, optional }: Drawing): number {
  const low = Math.min(most, Math.max(least, random.chance(optional) ? 1 : 0));
  return random.integer(low, Math.min(most, Math.max(low, mostItems)));
}

/** Returns whether an item is a duplicate in a list. Plain lists would allow some, but are drawn without them. */
function isDuplicate(schema: NarrowSchema, list: readonly unknown[], item: unknown): boolean {
  const keys = schema["x-kubernetes-list-map-keys"];
  if (!keys) return list.some((other) => isEqual(other, item));
  const identity = (one: unknown): unknown[] => keys.map((key) => (one as JSONObject<unknown>)[key]);
  return list.some((other) => isEqual(identity(other), identity(item)));
}

function drawNumber(schema: NarrowSchema, field: FieldName, random: Random): number {
  const { low, high, step } = rangeOf(schema);
  const typical = typicalNumbers(lastName(field)).filter(
    (value) => value >= low && value <= high && value % step === 0,
  );
  if (typical.length > 1) return random.pick(typical);
  if (low === -Infinity && high === Infinity) return step * random.integer(0, 3);
  if (low === -Infinity) return high - step * random.integer(0, 3);
  return low + step * random.integer(0, Math.min(3, Math.floor((high - low) / step)));
}

/** Returns the range of numbers that a schema admits, without regard to its rules. */
export function rangeOf(schema: NarrowSchema): { low: number; high: number; step: number } {
  const { multipleOf, minimum = -Infinity, maximum = Infinity } = schema;
  const step = multipleOf ?? 1;
  const low = Math.ceil(minimum / step) * step + (schema.exclusiveMinimum ? step : 0);
  const high = Math.floor(maximum / step) * step - (schema.exclusiveMaximum ? step : 0);
  return { low, high, step };
}

function drawText(schema: NarrowSchema, field: FieldName, { random, texts = 3 }: Drawing): string {
  const likely = [...quotedInRules(schema), ...typicalTexts(lastName(field), schema.format)];
  const fits = (text: string): boolean => isValidText(text, schema);
  // Other texts, such as `alpha` for a protocol, mean nothing there. One text alone could never change.
  const meant = likely.filter(fits);
  const fitting = (meant.length > 1 ? meant : [...meant, ...commonTexts.filter(fits)]).slice(0, texts);
  if (fitting.length > 0) return random.pick(fitting);
  const { minLength = 0, maxLength = Infinity, patterns } = schema;
  const low = Math.max(0, minLength);
  for (let tries = 0; patterns.length > 0 && tries < 40; tries++) {
    const most = tries % 2 === 0 ? mostRepeats : Math.max(mostRepeats, Math.min(low, longestRepeat));
    const text = samplePattern(random.pick(patterns), random, most);
    if (isValidText(text, schema)) return text;
  }
  return random.pick(["a", "b", "c"]).repeat(Math.min(Math.max(low, 1), maxLength, longestText));
}

/** How often a part of a pattern is repeated beyond its minimum, and how often if a long text is needed. */
const mostRepeats = 3;
const longestRepeat = 3000;
const longestText = 100_000;

/** Returns the texts in quotes in the rules of a schema. */
function quotedInRules({ "x-kubernetes-validations": rules = [] }: NarrowSchema): string[] {
  return rules.flatMap(({ rule = "" }) => [...rule.matchAll(/'([^'\\]*)'/g)].map(([, text]) => text!));
}

function isValidText(text: string, { minLength = 0, maxLength = Infinity, patterns }: NarrowSchema): boolean {
  const length = Array.from(text).length;
  return (
    length >= minLength &&
    length <= maxLength &&
    patterns.every((pattern) => compilePattern(pattern).test(text))
  );
}

/** Returns the last name in a field, which tells the meaning of its values. */
export function lastName(field: FieldName): string {
  return field.replaceAll("[]", "").split(".").at(-1)!;
}
