// Finds an object that shows a change: objects are drawn from a schema that was directed to the place of the change, tried on the
// API server's validation under both schemas, and shrunk.

import { compileValidator, type Validator } from "@tsbuilder/apimachinery/cel";
import { type FieldError, formatFieldError } from "@tsbuilder/apimachinery/errors";
import { isEqual, isObject, type JSONObject, setMember } from "@tsbuilder/apimachinery/json";
import { drawValue, numbered, Random, shrinkValue } from "@tsbuilder/apimachinery/sample";
import { itemsOf, type JSONSchema, valuesOf } from "@tsbuilder/apimachinery/schema";
import { type Aim, placeText, type SchemaChange, type Step } from "./schema-change.ts";

/** An object as a user writes it. */
export interface WitnessObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly [field: string]: unknown;
}

/** An object that shows what a change breaks. */
export interface Witness {
  /**
   * - `refused`: the object was valid, and is rejected now.
   * - `lost`: the object stays valid, but the fields in `detail` are dropped.
   * - `other value`: the object stays valid, but a field that it omits has another value.
   * - `unknown`: the object is valid now and was not before, so that earlier clients do not expect it.
   */
  readonly outcome: "refused" | "lost" | "other value" | "unknown";
  readonly object: WitnessObject;
  /** The stored object that `object` updates, for a CEL rule about updates. */
  readonly old?: WitnessObject;
  /** The API server's errors, the dropped fields, or both values. */
  readonly detail: string;
  /** The place that has to stay unchanged so that a stored object like this can still be updated (ratcheting). */
  readonly unchanged?: string;
}

/** A version of a kind, with the API server's validation of its objects. */
export interface CheckedVersion {
  readonly apiVersion: string;
  readonly kind: string;
  readonly schema: JSONSchema;
  readonly validator: Validator;
}

const validators = new WeakMap<JSONSchema, Validator>();

/** Returns a version with its validator, which is compiled once for each schema. */
export function checkedVersion(apiVersion: string, kind: string, schema: JSONSchema): CheckedVersion {
  const validator = validators.get(schema) ?? compileValidator(schema);
  validators.set(schema, validator);
  return { apiVersion, kind, schema, validator };
}

/** The search ends after this many valid objects, or this many objects in all. */
const mostValid = 12;
const mostDraws = 120;
/** A CEL rule can reject far fewer of the objects than a keyword. */
const moreValidForRules = 4;

/** Draws objects that are valid in one version until one shows the change in the other version, and shrinks that object. */
export function findWitness(
  old: CheckedVersion,
  next: CheckedVersion,
  { steps, aim }: SchemaChange,
): Witness | undefined {
  if (!aim) return undefined;
  const [valid, other] = aim.isReversed ? [next, old] : [old, next];
  const trial: Trial = { valid, other, steps, aim };
  const random = new Random(hash(JSON.stringify(steps)));
  const schemas = directedSchemas(valid.schema, steps, aim);
  const isAboutUpdates = /\boldSelf\b/u.test(aim.rule?.rule ?? "");
  const enough = mostValid * (aim.rule ? moreValidForRules : 1);
  let validDraws = 0;
  for (let draw = 0; draw < mostDraws && validDraws < enough; draw++) {
    const drawOne = (): WitnessObject => drawObject(valid, schemas[draw % schemas.length]!, random, draw);
    const object = drawOne();
    if (!isValid(valid, object)) continue;
    validDraws++;
    if (isAboutUpdates) {
      const update = replaceAt(object, drawOne(), steps);
      const found = isValid(valid, update) && judge({ ...trial, before: object }, update);
      if (found) return found;
    } else if (judge(trial, object)) return judge(trial, shrink(trial, object));
  }
  return undefined;
}

/** Lists the schemas to draw from in turn. CEL rules are often about duplicates in a list, or about empty texts. */
function directedSchemas(schema: JSONSchema, steps: readonly Step[], aim: Aim): JSONSchema[] {
  const aims = aim.rule ? [aim, { ...aim, isShortest: true }, { ...aim, isDoubled: true }] : [aim];
  return aims.map((one) => directSchema(schema, steps, one));
}

/** An object that is valid in one version is tried in the other version. */
interface Trial {
  readonly valid: CheckedVersion;
  readonly other: CheckedVersion;
  readonly steps: readonly Step[];
  readonly aim: Aim;
  /** The stored object, if the tried object is an update. */
  readonly before?: WitnessObject;
}

/** Returns what an object shows; undefined if it is not valid where it has to be, or does not show the change. */
function judge(trial: Trial, object: WitnessObject): Witness | undefined {
  const { valid, other, before, steps, aim } = trial;
  const stored = valid.validator.applyDefaults(object);
  const storedBefore = before && valid.validator.applyDefaults(before);
  if (valid.validator.validate(stored, storedBefore && { old: storedBefore }).length > 0) return undefined;
  const { object: pruned, unknown } = other.validator.prune(object);
  const received = other.validator.applyDefaults(pruned);
  const readBefore = before && readStored(other, before);
  const errors = other.validator.validate(received, readBefore && { old: readBefore });
  const ownErrors = errors.filter((error) => isCausedBy(error, steps, aim));
  if (ownErrors.length > 0)
    return judgeRefusal(trial, object, ownErrors.map(formatFieldError).join("; "), stored);
  // Another change rejects the object, so that it shows nothing of this one.
  if (errors.length > 0 || aim.expects === "refused") return undefined;
  if (aim.expects === "lost") return judgeLoss(trial, object, { unknown, stored, received });
  const [valueBefore, valueNow] = [stored, received].map((one) => valuesAt(one, steps)[0]);
  if (isEqual(valueBefore, valueNow)) return undefined;
  const detail = `${showValue(valueBefore)} before, ${showValue(valueNow)} now`;
  return { outcome: "other value", object, detail };
}

/** Returns what the API server reads of a stored object: fields that the schema lacks are dropped, defaults are added. */
function readStored({ validator }: CheckedVersion, object: WitnessObject): WitnessObject {
  return validator.applyDefaults(validator.prune(object).object);
}

function judgeRefusal(
  { other, steps, aim, before }: Trial,
  object: WitnessObject,
  detail: string,
  stored: WitnessObject,
): Witness {
  if (aim.isReversed) return { outcome: "unknown", object, detail };
  const read = readStored(other, stored);
  const isRatcheted = !before && other.validator.validate(read, { old: read }).length === 0;
  return {
    outcome: "refused",
    object,
    ...(before && { old: before }),
    detail,
    ...(isRatcheted && { unchanged: placeText(aim.isAbsent ? steps.slice(0, -1) : steps) }),
  };
}

function judgeLoss(
  { steps, aim }: Trial,
  object: WitnessObject,
  {
    unknown,
    stored,
    received,
  }: { readonly unknown: readonly string[]; readonly stored: object; readonly received: object },
): Witness | undefined {
  const outcome = aim.isReversed ? "unknown" : "lost";
  const lost = unknown.filter((field) => isPlaceIn(field, steps));
  if (lost.length > 0) return { outcome, object, detail: lost.join(", ") };
  if (unknown.length > 0) return undefined;
  // A null that is not allowed is no unknown field, but is dropped as well.
  const [first] = differences(stored, received);
  return first !== undefined && isPlaceIn(first, steps) ? { outcome, object, detail: first } : undefined;
}

const showValue = (value: unknown): string => (value === undefined ? "no value" : JSON.stringify(value));

/** Returns true if an error comes from the change, and not from another change of the same schema. */
function isCausedBy(
  { field, detail, reason }: FieldError,
  steps: readonly Step[],
  { rule, isAbsent, error }: Aim,
): boolean {
  if (rule) {
    if (rule.messageExpression !== undefined) return true;
    return detail.includes(rule.message?.trim() || rule.rule?.trim() || "");
  }
  if (detail.startsWith("some validation rules were not checked")) return false;
  if (error && !error.test(`${reason}: ${detail}`)) return false;
  return isPlaceIn(field, steps) || (isAbsent === true && field === "");
}

/** Returns true if a field, which has indexes and keys, is at a place or inside it. */
function isPlaceIn(field: string, steps: readonly Step[]): boolean {
  const segments = field.match(/\[[^\]]*\]|[^.[\]]+/gu) ?? [];
  return steps.every((step, index) => {
    const segment = segments[index];
    if (segment === undefined) return false;
    if (step === "items") return segment.startsWith("[");
    // In a list of dropped fields, the key of a map looks like the name of a field.
    return step === "additionalProperties" || segment === step.property || segment === `[${step.property}]`;
  });
}

/** Lists the paths at which two objects differ. */
function differences(one: unknown, two: unknown, path = ""): string[] {
  if (isEqual(one, two)) return [];
  if (!isObject(one) || !isObject(two)) return [path];
  const keys = [...new Set([...Object.keys(one), ...Object.keys(two)])];
  return keys.flatMap((key) => differences(one[key], two[key], path === "" ? key : `${path}.${key}`));
}

function isValid({ validator }: CheckedVersion, object: WitnessObject): boolean {
  return (
    validator.validate(validator.applyDefaults(object)).length === 0 &&
    validator.prune(object).unknown.length === 0
  );
}

function drawObject(
  { apiVersion, kind }: CheckedVersion,
  schema: JSONSchema,
  random: Random,
  draw: number,
): WitnessObject {
  // Few optional fields at first: objects with few fields are valid more often, and need less shrinking.
  const optional = [0, 0, 0.3, 0.6, 0.9][draw % 5]!;
  const drawing = { random, values: {}, optional, texts: Infinity };
  const content = drawValue(schema, "", drawing) as JSONObject<unknown>;
  const { apiVersion: _, kind: __, metadata: ___, ...rest } = content;
  const object = { apiVersion, kind, metadata: { name: "example" }, ...rest };
  return doubled(object, schema);
}

/** Repeats the first item of each list that `directSchema` has marked. */
function doubled<T>(value: T, schema: JSONSchema): T {
  if (Array.isArray(value)) {
    const items = itemsOf(schema) ?? {};
    const list = value.map((item: unknown) => doubled(item, items));
    const [, key] = schema.title?.split(doubledTitle) ?? [];
    if (key === undefined || list.length === 0) return list as T;
    return [key === "" ? list[0] : numbered(list[0], key, 1), ...list] as T;
  }
  if (!isObject(value)) return value;
  const copy: JSONObject<unknown> = {};
  for (const [key, item] of Object.entries(value))
    setMember(copy, key, doubled(item, schema.properties?.[key] ?? valuesOf(schema) ?? {}));
  return copy as T;
}

/** The title that marks a list whose first item is repeated. The name of the field in which the copy differs follows. */
const doubledTitle = "tsbuilder: doubled but for ";

/** Edits a schema so that each object drawn from it has the place, with a value that suits the aim, or lacks it. */
function directSchema(schema: JSONSchema, [step, ...rest]: readonly Step[], aim: Aim): JSONSchema {
  if (step === undefined) return directValue(aim.schema ?? schema, aim);
  if (step === "items") {
    const items = directSchema(itemsOf(schema) ?? {}, rest, aim);
    return { ...schema, minItems: Math.max(1, schema.minItems ?? 0), items };
  }
  if (step === "additionalProperties") {
    const values = directSchema(valuesOf(schema) ?? {}, rest, aim);
    return { ...schema, minProperties: Math.max(1, schema.minProperties ?? 0), additionalProperties: values };
  }
  const { property } = step;
  const { [property]: inner = {}, ...others } = schema.properties ?? {};
  const required = (schema.required ?? []).filter((name) => name !== property);
  if (rest.length === 0 && aim.isAbsent) return { ...schema, properties: others, required };
  const properties = { [property]: directSchema(inner, rest, aim), ...others };
  return { ...schema, properties, required: [...required, property] };
}

function directValue(schema: JSONSchema, { isShortest, isDoubled, variedKey = "" }: Aim): JSONSchema {
  if (isShortest && schema.type === "string") return { ...schema, maxLength: schema.minLength ?? 0 };
  if (!isDoubled) return schema;
  return { ...schema, minItems: Math.max(1, schema.minItems ?? 0), title: `${doubledTitle}${variedKey}` };
}

/** Returns true if a witness has only texts, numbers, booleans or nulls at a place. */
export function hasScalarAt({ object }: Witness, steps: readonly Step[]): boolean {
  const values = valuesAt(object, steps).filter((value) => value !== undefined);
  return values.length > 0 && values.every((value) => typeof value !== "object" || value === null);
}

/** Returns the values at a place: one for each item of the lists on the way. */
function valuesAt(value: unknown, [step, ...rest]: readonly Step[]): unknown[] {
  if (step === undefined) return [value];
  if (step === "items") return Array.isArray(value) ? value.flatMap((item) => valuesAt(item, rest)) : [];
  if (!isObject(value)) return [];
  const members =
    step === "additionalProperties"
      ? Object.values(value)
      : [Object.hasOwn(value, step.property) ? value[step.property] : undefined];
  return members.flatMap((member) => valuesAt(member, rest));
}

/** Copies an object, with the value of another object at a place. */
function replaceAt<T>(object: T, source: unknown, [step, ...rest]: readonly Step[]): T {
  if (step === undefined) return source as T;
  if (step === "items" && Array.isArray(object) && Array.isArray(source))
    return object.map((item: unknown, index) => replaceAt(item, source[index] ?? item, rest)) as T;
  if (typeof step === "string" || !isObject(object) || !isObject(source)) return object;
  const copy: JSONObject<unknown> = { ...object };
  setMember(copy, step.property, replaceAt(copy[step.property], source[step.property], rest));
  return copy as T;
}

/** Removes and simplifies parts of an object as long as it shows the same change. */
function shrink(trial: Trial, { apiVersion, kind, metadata, ...content }: WitnessObject): WitnessObject {
  const complete = (part: object): WitnessObject => ({ apiVersion, kind, metadata, ...part });
  return complete(shrinkValue(content, (smaller) => judge(trial, complete(smaller)) !== undefined));
}

function hash(text: string): number {
  let sum = 7;
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum, 31) + text.charCodeAt(at);
  return sum;
}
