import { compileValidator, type Validator } from "@tsbuilder/apimachinery/cel";
import { type FieldError, formatFieldError } from "@tsbuilder/apimachinery/errors";
import { isEqual, isObject, type JSONObject, setMember } from "@tsbuilder/apimachinery/json";
import { drawValue, numbered, Random, shrinkValue } from "@tsbuilder/apimachinery/sample";
import { itemsOf, type JSONSchema, valuesOf } from "@tsbuilder/apimachinery/schema";
import { type Aim, placeText, type SchemaChange, type Step } from "./compare-schemas.ts";

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
   * `refused`: valid before, and not any more. `lost`: it stays valid without what `detail` names. `other value`: what it omits has
   * another value. `unknown`: valid now, and not before, so that readers of the old version don't expect it.
   */
  readonly outcome: "refused" | "lost" | "other value" | "unknown";
  readonly object: WitnessObject;
  /** The stored object that it is an update of, for a rule about updates. */
  readonly old?: WitnessObject;
  /** The API server's errors, the fields that are dropped, or both values. */
  readonly detail: string;
  /** While the value at this place stays as it is, stored objects like the witness can be updated (ratcheting). */
  readonly unchanged?: string;
}

/** A version of a kind with its schema and the API server's validation. */
export interface CheckedVersion {
  readonly apiVersion: string;
  readonly kind: string;
  readonly schema: JSONSchema;
  readonly validator: Validator;
}

const validators = new WeakMap<JSONSchema, Validator>();

/** Returns a version with its validator, which is compiled once. */
export function checkedVersion(apiVersion: string, kind: string, schema: JSONSchema): CheckedVersion {
  const validator = validators.get(schema) ?? compileValidator(schema);
  validators.set(schema, validator);
  return { apiVersion, kind, schema, validator };
}

/** Objects are drawn until this many were valid, or this many were not. */
const mostValid = 12;
const mostDraws = 120;

/** Draws objects that are valid in one version until the other one does to them what the change aims at; shrinks the first. */
export function findWitness(
  old: CheckedVersion,
  next: CheckedVersion,
  { steps, aim }: SchemaChange,
): Witness | undefined {
  if (!aim) return undefined;
  const [valid, other] = aim.isReversed ? [next, old] : [old, next];
  const at = aim.steps ?? steps;
  // Rules about lists are often about what they have twice, and those about texts about empty ones.
  const [directed, doubling, shortening] = [
    aim,
    { ...aim, isDoubled: true },
    { ...aim, isShortest: true },
  ].map((one) => directSchema(valid.schema, at, one));
  const drawOne = (draw: number): WitnessObject =>
    drawObject(
      valid,
      [directed, shortening, doubling][aim.isDoubled ? 2 : aim.rule ? draw % 3 : 0]!,
      random,
      draw,
    );
  const isTransition = aim.rule?.rule !== undefined && /\boldSelf\b/u.test(aim.rule.rule);
  const trial: Trial = { valid, other, steps: at, aim };
  const random = new Random(hash(JSON.stringify(at)));
  let validDraws = 0;
  for (let draw = 0; draw < mostDraws && validDraws < mostValid * (aim.rule ? 4 : 1); draw++) {
    const object = drawOne(draw);
    if (!isValid(valid, object)) continue;
    validDraws++;
    if (isTransition) {
      const second = replaceAt(object, drawOne(draw), at);
      const found = isValid(valid, second) && judge({ ...trial, before: object }, second);
      if (found) return found;
    } else if (judge(trial, object)) return judge(trial, shrink(trial, object));
  }
  return undefined;
}

/** What a witness is tried on. */
interface Trial {
  readonly valid: CheckedVersion;
  readonly other: CheckedVersion;
  readonly steps: readonly Step[];
  readonly aim: Aim;
  /** The stored object, if the witness is an update. */
  readonly before?: WitnessObject;
}

/** Returns what an object shows; undefined if it shows nothing, or isn't valid where it has to be. */
function judge({ valid, other, steps, aim, before }: Trial, object: WitnessObject): Witness | undefined {
  const defaulted = valid.validator.applyDefaults(object);
  const oldBefore = before && valid.validator.applyDefaults(before);
  if (valid.validator.validate(defaulted, oldBefore && { old: oldBefore }).length > 0) return undefined;
  const { object: pruned, unknown } = other.validator.prune(object);
  const after = other.validator.applyDefaults(pruned);
  const otherBefore = before && other.validator.applyDefaults(other.validator.prune(before).object);
  const errors = other.validator.validate(after, otherBefore && { old: otherBefore });
  const own = errors.filter((error) => isAbout(error, steps, aim));
  if (own.length > 0) {
    const detail = own.map(formatFieldError).join("; ");
    if (aim.isReversed) return { outcome: "unknown", object, detail };
    // A stored object has its defaults; what the new schema doesn't know is pruned when it is read.
    const stored = other.validator.applyDefaults(other.validator.prune(defaulted).object);
    const isRatcheted = !before && other.validator.validate(stored, { old: stored }).length === 0;
    const unchanged = isRatcheted && placeText(aim.isAbsent ? steps.slice(0, -1) : steps);
    return {
      outcome: "refused",
      object,
      ...(before && { old: before }),
      detail,
      ...(unchanged && { unchanged }),
    };
  }
  if (errors.length > 0) return undefined;
  if (aim.expects === "lost") {
    const outcome = aim.isReversed ? "unknown" : "lost";
    const lost = unknown.filter((field) => isPlaceIn(field, steps));
    if (lost.length > 0) return { outcome, object, detail: lost.join(", ") };
    if (unknown.length > 0) return undefined;
    const [first] = differences(defaulted, after);
    return first !== undefined && isPlaceIn(first, steps) ? { outcome, object, detail: first } : undefined;
  }
  if (aim.expects !== "other value") return undefined;
  const [one, two] = [valuesAt(defaulted, steps)[0], valuesAt(after, steps)[0]];
  if (isEqual(one, two)) return undefined;
  return { outcome: "other value", object, detail: `${showValue(one)} before, ${showValue(two)} now` };
}

const showValue = (value: unknown): string => (value === undefined ? "no value" : JSON.stringify(value));

/** Returns whether an error comes from the change, and not from another one. */
function isAbout(
  { field, detail, reason }: FieldError,
  steps: readonly Step[],
  { rule, isAbsent, error }: Aim,
): boolean {
  if (rule)
    return (
      detail.includes(rule.message?.trim() || rule.rule?.trim() || "") || rule.messageExpression !== undefined
    );
  if (detail.startsWith("some validation rules were not checked")) return false;
  if (error && !error.test(`${reason}: ${detail}`)) return false;
  return isPlaceIn(field, steps) || (isAbsent === true && field === "");
}

/** Returns whether a field, with indexes and keys, lies at a place, or in it. */
function isPlaceIn(field: string, steps: readonly Step[]): boolean {
  const segments = field.match(/\[[^\]]*\]|[^.[\]]+/gu) ?? [];
  return steps.every((step, index) => {
    const segment = segments[index];
    if (segment === undefined) return false;
    if (step === "items") return segment.startsWith("[");
    // A key of a map is written like a field where it is dropped.
    return step === "additionalProperties" || segment === step.property || segment === `[${step.property}]`;
  });
}

/** Lists the first difference between two objects: the path of a value that one has and the other hasn't. */
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
  const optional = [0, 0, 0.3, 0.6, 0.9][draw % 5]!;
  const drawing = { random, values: {}, optional, texts: Infinity };
  const content = drawValue(schema, "", drawing) as JSONObject<unknown>;
  const { apiVersion: _, kind: __, metadata: ___, ...rest } = content;
  const object = { apiVersion, kind, metadata: { name: "example" }, ...rest };
  return doubled(object, schema);
}

/** Repeats the first item of each list that `directSchema` marked. */
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

/** Marks a list whose first item is doubled, before the name of the field in which the copy differs. */
const doubledTitle = "tsbuilder: doubled but for ";

/** Edits a schema so that what is drawn from it has the place, with a value that the aim asks for, or lacks it. */
function directSchema(schema: JSONSchema, [step, ...rest]: readonly Step[], aim: Aim): JSONSchema {
  if (step === undefined) {
    const aimed = aim.schema ?? schema;
    if (aim.isShortest && aimed.type === "string") return { ...aimed, maxLength: aimed.minLength ?? 0 };
    return aim.isDoubled
      ? {
          ...aimed,
          minItems: Math.max(1, aimed.minItems ?? 0),
          title: `${doubledTitle}${aim.variedKey ?? ""}`,
        }
      : aimed;
  }
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

/** Returns whether a witness has a text, a number or a boolean at a place, so that nothing else is part of that value. */
export function hasScalarAt({ object }: Witness, steps: readonly Step[]): boolean {
  const values = valuesAt(object, steps).filter((value) => value !== undefined);
  return values.length > 0 && values.every((value) => typeof value !== "object" || value === null);
}

/** The values at a place: one for each item of the lists on the way. */
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

/** Copies an object with the value that another one has at a place. */
function replaceAt<T>(object: T, source: unknown, [step, ...rest]: readonly Step[]): T {
  if (step === undefined) return source as T;
  if (step === "items" && Array.isArray(object) && Array.isArray(source))
    return object.map((item: unknown, index) => replaceAt(item, source[index] ?? item, rest)) as T;
  if (typeof step === "string" || !isObject(object) || !isObject(source)) return object;
  const copy: JSONObject<unknown> = { ...object };
  setMember(copy, step.property, replaceAt(copy[step.property], source[step.property], rest));
  return copy as T;
}

/** Removes and simplifies parts of a witness as long as it remains one. */
function shrink(trial: Trial, { apiVersion, kind, metadata, ...content }: WitnessObject): WitnessObject {
  const complete = (part: object): WitnessObject => ({ apiVersion, kind, metadata, ...part });
  return complete(shrinkValue(content, (smaller) => judge(trial, complete(smaller)) !== undefined));
}

function hash(text: string): number {
  let sum = 7;
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum, 31) + text.charCodeAt(at);
  return sum;
}
