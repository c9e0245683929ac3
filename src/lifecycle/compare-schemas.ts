import { isEqual, memberOf } from "@tsbuilder/apimachinery/json";
import { itemsOf, type JSONSchema, type ValidationRule, valuesOf } from "@tsbuilder/apimachinery/schema";
import { celName } from "../generators/model/schema.ts";
import type { ChangeRule } from "./rules.ts";

/** A step from a schema to one in it. */
export type Step = { readonly property: string } | "items" | "additionalProperties";

/** How a witness of a change may look. */
export interface Aim {
  /** Where in the object, and what is drawn there. Default of both: the place of the change, and its old schema. */
  readonly steps?: readonly Step[];
  readonly schema?: JSONSchema;
  /** The field is absent. */
  readonly isAbsent?: boolean;
  /** The list has its first item twice. */
  readonly isDoubled?: boolean;
  /** The text is as short as it may be. */
  readonly isShortest?: boolean;
  /** The field in which the second one differs. */
  readonly variedKey?: string;
  /** What the new schema does to the witness. */
  readonly expects: "refused" | "lost" | "other value";
  /** The witness is valid in the new schema, and the old one refuses it: readers have never seen it. */
  readonly isReversed?: boolean;
  /** The reason and the words of the error that the change causes, and no other change at the same place. */
  readonly error?: RegExp;
  /** The CEL rule that refuses the witness. */
  readonly rule?: ValidationRule;
  /** The rule reads a field that the old schema lacks, so that objects of before have nothing to be refused. */
  readonly isAboutNewField?: boolean;
}

/** A difference between two schemas. */
export interface SchemaChange {
  readonly rule: ChangeRule;
  readonly steps: readonly Step[];
  readonly message: string;
  /** The keyword that changed, as in the path of a CRD's errors: `maximum`, `x-kubernetes-validations[0]`. */
  readonly keyword?: string;
  readonly aim?: Aim;
  /** The change is in the direction that breaks nobody. */
  readonly isHarmless?: boolean;
  /** A place in the new schema that the sources have, for a field that is gone. Default: the place itself. */
  readonly beside?: readonly Step[];
}

/** Compares two schemas of the same version. A changed type or a removed field hides what is below it. */
export function compareSchemas(
  old: JSONSchema,
  next: JSONSchema,
  steps: readonly Step[] = [],
): SchemaChange[] {
  if (isEqual(old, next)) return [];
  const widened = compareTypes(old, next, steps);
  if (widened?.rule === "type-changed") return [widened];
  return [
    ...(widened ? [widened] : []),
    ...compareValues(old, next, steps),
    ...compareBounds(old, next, steps),
    ...compareRules(old, next, steps),
    ...compareMerging(old, next, steps),
    ...compareMembers(old, next, steps),
  ];
}

/** The type of a schema with Kubernetes' own: `any` has no type at all. */
function typeOf({ type, ...schema }: JSONSchema): string {
  if (schema["x-kubernetes-int-or-string"]) return "int-or-string";
  return type || "any";
}

/** The types that a type may become without refusing a value. */
const wider: Readonly<Record<string, readonly string[]>> = {
  integer: ["number", "int-or-string", "any"],
  string: ["int-or-string", "any"],
  number: ["any"],
  boolean: ["any"],
  "int-or-string": ["any"],
};

function compareTypes(old: JSONSchema, next: JSONSchema, steps: readonly Step[]): SchemaChange | undefined {
  const [from, to] = [typeOf(old), typeOf(next)];
  // Objects and lists of any content have no type, but they are compared by their members.
  if (from === to || (to === "any" && (from === "object" || from === "array"))) return undefined;
  const message = `the type was ${from} and is ${to}`;
  const isWider = wider[from]?.includes(to) === true;
  return isWider
    ? {
        rule: "type-widened",
        steps,
        keyword: "type",
        message,
        aim: { ...reversed, schema: typedOnly(from, next) },
      }
    : { rule: "type-changed", steps, keyword: "type", message, aim: refusedAs(/TypeInvalid|of type|anyOf/u) };
}

const refused = { expects: "refused" } as const satisfies Aim;

/** A witness that is refused with an error of these words. */
const refusedAs = (error: RegExp): Aim => ({ expects: "refused", error });
const reversed = { expects: "refused", isReversed: true } as const satisfies Aim;

/** Narrows a wider type to what the one before did not admit. */
function typedOnly(from: string, next: JSONSchema): JSONSchema {
  const { "x-kubernetes-int-or-string": _, anyOf: __, ...rest } = next;
  if (from === "integer" && typeOf(next) === "number") return { ...rest, enum: [0.5] };
  return { ...rest, type: from === "string" ? "integer" : "string" };
}

/** Compares what single values are allowed: null, enum, pattern, format, the default. */
function compareValues(old: JSONSchema, next: JSONSchema, steps: readonly Step[]): SchemaChange[] {
  const changes: SchemaChange[] = [];
  const add = (rule: ChangeRule, keyword: string, message: string, aim?: Aim): void =>
    void changes.push({ rule, steps, keyword, message, ...(aim && { aim }) });
  if (old.nullable === true && next.nullable !== true)
    // An API server drops a null that isn't allowed, unless something else requires the field.
    add("nullable-removed", "nullable", "null is not allowed any more", {
      expects: "lost",
      schema: { enum: [null] },
    });
  if (old.nullable !== true && next.nullable === true)
    add("nullable-added", "nullable", "null is allowed", {
      expects: "lost",
      isReversed: true,
      schema: { enum: [null] },
    });
  const [before, after] = [enumOf(old), enumOf(next)];
  const removed = before?.filter((value) => after && !includes(after, value)) ?? [];
  const added = after?.filter((value) => before && !includes(before, value)) ?? [];
  if (after && (!before || removed.length > 0)) {
    const message = before
      ? `${show(removed)} ${removed.length === 1 ? "is" : "are"} not allowed any more`
      : `only ${show(after)} are allowed`;
    add("enum-narrowed", "enum", message, {
      ...refusedAs(/NotSupported/u),
      ...(before && { schema: { ...old, enum: removed } }),
    });
  }
  if (before && (!after || added.length > 0)) {
    const message = after
      ? `${show(added)} ${added.length === 1 ? "is" : "are"} allowed, too`
      : "any value is allowed";
    add("enum-widened", "enum", message, { ...reversed, ...(after && { schema: { ...next, enum: added } }) });
  }
  for (const [keyword, rule] of [
    ["pattern", "pattern-changed"],
    ["format", "format-changed"],
  ] as const) {
    if ((old[keyword] ?? "") === (next[keyword] ?? "") || !next[keyword]) continue;
    const message = old[keyword]
      ? `the ${keyword} was ${old[keyword]} and is ${next[keyword]}`
      : `there was no ${keyword}, and it is ${next[keyword]}`;
    add(rule, keyword, message, refusedAs(keyword === "pattern" ? /should match/u : /of type/u));
  }
  if (!isEqual(junctorsOf(old), junctorsOf(next)))
    add(
      "alternatives-changed",
      "anyOf",
      "the alternatives in allOf, anyOf, oneOf or not have changed",
      refused,
    );
  changes.push(...compareDefaults(old, next, steps));
  if (next["x-kubernetes-embedded-resource"] === true && old["x-kubernetes-embedded-resource"] !== true)
    add(
      "embedded-resource-changed",
      "x-kubernetes-embedded-resource",
      "it must be an object of Kubernetes, with apiVersion and kind",
      refused,
    );
  return changes;
}

function compareDefaults(old: JSONSchema, next: JSONSchema, steps: readonly Step[]): SchemaChange[] {
  const [before, after] = [old.default ?? undefined, next.default ?? undefined];
  if (isEqual(before, after) || steps.length === 0) return [];
  const aim: Aim = { expects: "other value", isAbsent: true };
  const change = (rule: ChangeRule, message: string): SchemaChange[] => [
    { rule, steps, keyword: "default", message, aim },
  ];
  if (before === undefined)
    return change("default-added", `there was no default, and it is ${JSON.stringify(after)}`);
  if (after === undefined) return change("default-removed", `the default ${JSON.stringify(before)} is gone`);
  return change(
    "default-changed",
    `the default was ${JSON.stringify(before)} and is ${JSON.stringify(after)}`,
  );
}

/** The values of an enum; those of an `allOf` count, too: so an enum that admits null is written. */
function enumOf({ enum: values, allOf = [] }: JSONSchema): readonly unknown[] | undefined {
  return values?.length ? values : allOf.find((branch) => branch.enum)?.enum;
}

/** The alternatives of a schema, without those that int-or-string and enums have. */
function junctorsOf({ allOf = [], anyOf = [], oneOf = [], not, ...schema }: JSONSchema): unknown {
  const any = schema["x-kubernetes-int-or-string"] ? [] : anyOf;
  return withoutTexts({ allOf: allOf.filter((branch) => !branch.enum), any, oneOf, not });
}

/** Copies a part of a schema without what only people read. */
function withoutTexts(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, part: unknown) => (key === "description" ? undefined : part)) ?? "null",
  );
}

/** Bounds below which, or above which, a value is refused: the one that closes the old range on the other side is drawn. */
const bounds = [
  { keyword: "maximum", opposite: "minimum", beyond: 1, exclusive: "exclusiveMaximum" },
  { keyword: "minimum", opposite: "maximum", beyond: -1, exclusive: "exclusiveMinimum" },
  { keyword: "maxLength", opposite: "minLength", beyond: 1 },
  { keyword: "minLength", opposite: "maxLength", beyond: -1 },
  { keyword: "maxItems", opposite: "minItems", beyond: 1 },
  { keyword: "minItems", opposite: "maxItems", beyond: -1 },
  { keyword: "maxProperties", opposite: "minProperties", beyond: 1 },
  { keyword: "minProperties", opposite: "maxProperties", beyond: -1 },
] as const;

function compareBounds(old: JSONSchema, next: JSONSchema, steps: readonly Step[]): SchemaChange[] {
  const changes: SchemaChange[] = [];
  for (const { keyword, opposite, beyond, ...bound } of bounds) {
    const exclusive = "exclusive" in bound ? bound.exclusive : undefined;
    const [before, after] = [old, next].map((schema) => limitOf(schema, keyword, beyond, exclusive));
    if (before === after) continue;
    const name = (schema: JSONSchema): string =>
      `${schema[keyword]}${exclusive && schema[exclusive] ? ` (excluded)` : ""}`;
    const message =
      old[keyword] === undefined
        ? `there was no ${keyword}, and it is ${name(next)}`
        : next[keyword] === undefined
          ? `the ${keyword} ${name(old)} is gone`
          : `the ${keyword} was ${name(old)} and is ${name(next)}`;
    const isNarrower = beyond * after! < beyond * before!;
    if (!isNarrower) changes.push({ rule: "bound-widened", steps, keyword, message });
    else {
      const outside = exclusive && next[exclusive] ? next[keyword]! : next[keyword]! + beyond;
      const schema: JSONSchema = { ...old, [opposite]: outside };
      changes.push({
        rule: "bound-narrowed",
        steps,
        keyword,
        message,
        aim: { ...refusedAs(/should|TooLong|TooMany/u), schema },
      });
    }
  }
  const [before, after] = [old.multipleOf, next.multipleOf];
  if (before !== after) {
    const isNarrower = after !== undefined && (before === undefined || before % after !== 0);
    const message =
      after === undefined ? `the multipleOf ${before} is gone` : `it must be a multiple of ${after}`;
    changes.push({
      rule: isNarrower ? "bound-narrowed" : "bound-widened",
      steps,
      keyword: "multipleOf",
      message,
      ...(isNarrower && { aim: refusedAs(/multiple of/u) }),
    });
  }
  return changes;
}

/** The bound as a number: infinite without one, and a little less far if it is excluded itself. */
function limitOf(
  schema: JSONSchema,
  keyword: (typeof bounds)[number]["keyword"],
  beyond: number,
  exclusive: "exclusiveMinimum" | "exclusiveMaximum" | undefined,
): number {
  const limit = schema[keyword];
  if (limit === undefined) return keyword.startsWith("min") && keyword !== "minimum" ? 0 : beyond * Infinity;
  return exclusive && schema[exclusive] ? limit - beyond * 1e-9 : limit;
}

/** Compares CEL rules. With the same expression, another message or reason changes nothing. */
function compareRules(old: JSONSchema, next: JSONSchema, steps: readonly Step[]): SchemaChange[] {
  const textOf = ({ rule = "", optionalOldSelf }: ValidationRule): string =>
    `${rule.trim()} ${optionalOldSelf === true}`;
  const [before, after] = [old, next].map((schema) => schema["x-kubernetes-validations"] ?? []);
  const gone = before!.filter((rule) => !after!.some((other) => textOf(other) === textOf(rule)));
  const replaced = new Set<ValidationRule>();
  const added = Object.keys(next.properties ?? {}).filter((name) => !memberOf(old.properties ?? {}, name));
  const changes = after!.flatMap((rule, index): SchemaChange[] => {
    if (before!.some((other) => textOf(other) === textOf(rule))) return [];
    // A rule with the message of one that is gone is that rule, rewritten.
    const earlier = gone.find(
      (other) => !replaced.has(other) && (other.message ?? "") === (rule.message ?? ""),
    );
    if (earlier) replaced.add(earlier);
    const message = earlier ? `the rule ${earlier.rule} is ${rule.rule} now` : `the rule ${rule.rule} is new`;
    return [
      {
        rule: earlier ? "rule-changed" : "rule-added",
        steps,
        keyword: `x-kubernetes-validations[${index}]`,
        message,
        aim: {
          ...refused,
          rule,
          isAboutNewField: added.some((name) => (rule.rule ?? "").split(/\W+/u).includes(celName(name))),
        },
      },
    ];
  });
  const removed = gone.filter((rule) => !replaced.has(rule));
  return [
    ...changes,
    ...removed.map(({ rule }): SchemaChange => ({
      rule: "rule-removed",
      steps,
      message: `the rule ${rule} is gone`,
    })),
  ];
}

/** Compares how lists and maps are merged. */
function compareMerging(old: JSONSchema, next: JSONSchema, steps: readonly Step[]): SchemaChange[] {
  const changes: SchemaChange[] = [];
  const [before, after] = [old, next].map((schema) => schema["x-kubernetes-list-type"] ?? "atomic");
  if (typeOf(old) === "array" && before !== after) {
    const message = `the list type was ${before} and is ${after}`;
    const aim: Aim = { ...refusedAs(/Duplicate/u), isDoubled: true };
    changes.push({ rule: "list-type-changed", steps, keyword: "x-kubernetes-list-type", message, aim });
  } else {
    const [oldKeys, newKeys] = [old, next].map((schema) => schema["x-kubernetes-list-map-keys"] ?? []);
    if (!isEqual(oldKeys!.toSorted(), newKeys!.toSorted())) {
      const message = `the keys of the list were ${oldKeys!.join(", ")} and are ${newKeys!.join(", ")}`;
      const variedKey = oldKeys!.find((key) => !newKeys!.includes(key));
      const aim =
        variedKey !== undefined && ({ ...refusedAs(/Duplicate/u), isDoubled: true, variedKey } satisfies Aim);
      changes.push({
        rule: "map-keys-changed",
        steps,
        keyword: "x-kubernetes-list-map-keys",
        message,
        ...(aim && { aim }),
      });
    }
  }
  const [oldMap, newMap] = [old, next].map((schema) => schema["x-kubernetes-map-type"] ?? "granular");
  if (oldMap !== newMap) {
    const message = `the map type was ${oldMap} and is ${newMap}`;
    // Who owned one of the fields owns all of them from then on.
    const isHarmless = newMap === "atomic";
    changes.push({ rule: "map-type-changed", steps, keyword: "x-kubernetes-map-type", message, isHarmless });
  }
  return changes;
}

/** Compares fields, items and values, and what they may be besides. */
function compareMembers(old: JSONSchema, next: JSONSchema, steps: readonly Step[]): SchemaChange[] {
  const changes: SchemaChange[] = [];
  const [keptBefore, keptAfter] = [keepsUnknown(old), keepsUnknown(next)];
  const names = Object.keys(old.properties ?? {});
  const gone = names.filter((name) => !memberOf(next.properties ?? {}, name));
  const added = Object.keys(next.properties ?? {}).filter((name) => !memberOf(old.properties ?? {}, name));
  for (const name of names) {
    const at = [...steps, { property: name }];
    const after = memberOf(next.properties ?? {}, name);
    if (after) changes.push(...compareSchemas(old.properties![name]!, after, at));
    else if (!keptAfter) changes.push(removal(name, added, old, next, steps));
  }
  for (const name of added) {
    const at = [...steps, { property: name }];
    const isRequired =
      next.required?.includes(name) === true && next.properties![name]!.default === undefined;
    if (!isRequired) changes.push({ rule: "field-added", steps: at, message: "the field is new" });
  }
  changes.push(...compareRequired(old, next, steps, gone));
  const [oldItems, newItems] = [itemsOf(old), itemsOf(next)];
  if (oldItems && newItems) changes.push(...compareSchemas(oldItems, newItems, [...steps, "items"]));
  const [oldValues, newValues] = [valuesOf(old), valuesOf(next)];
  if (oldValues && newValues)
    changes.push(...compareSchemas(oldValues, newValues, [...steps, "additionalProperties"]));
  if (keptBefore && !keptAfter) {
    const aim: Aim = {
      expects: "lost",
      schema: {
        ...old,
        minProperties: Math.max(old.minProperties ?? 0, 1),
        additionalProperties: oldValues ?? { type: "string" },
      },
    };
    const keyword = keptBefore === "map" ? "additionalProperties" : "x-kubernetes-preserve-unknown-fields";
    changes.push({
      rule: "unknown-fields-pruned",
      steps,
      keyword,
      message: "keys that are not in the schema were stored, and are dropped",
      aim,
    });
  }
  if (!keptBefore && keptAfter && typeOf(old) === "object")
    changes.push({
      rule: "unknown-fields-kept",
      steps,
      message: "keys that are not in the schema are stored",
    });
  return changes;
}

/** How an object has keys that its schema doesn't name. */
function keepsUnknown(schema: JSONSchema): "map" | "unknown" | undefined {
  if (schema.additionalProperties !== undefined && schema.additionalProperties !== false) return "map";
  return schema["x-kubernetes-preserve-unknown-fields"] === true ? "unknown" : undefined;
}

function removal(
  name: string,
  added: readonly string[],
  old: JSONSchema,
  next: JSONSchema,
  parent: readonly Step[],
): SchemaChange {
  const steps = [...parent, { property: name }];
  const schema = withoutTexts(old.properties![name]);
  // A schema as plain as that of any text doesn't tell a renamed field from an unrelated one.
  const isTelling = JSON.stringify(schema).length > 40;
  const successor = added.find(
    (other) => isTelling && isEqual(withoutTexts(next.properties![other]), schema),
  );
  const aim: Aim = { expects: "lost" };
  const names = Object.keys(old.properties!);
  // The line of the field before it, or else of one behind it.
  const near = [...names.slice(0, names.indexOf(name)).toReversed(), ...names, ...added].find((other) =>
    memberOf(next.properties ?? {}, other),
  );
  const beside = near === undefined ? parent : [...parent, { property: near }];
  if (successor !== undefined)
    return {
      rule: "field-renamed",
      steps,
      message: `the field is gone; ${successor} has its schema`,
      aim,
      beside,
    };
  return { rule: "field-removed", steps, message: "the field is gone", aim, beside };
}

function compareRequired(
  old: JSONSchema,
  next: JSONSchema,
  steps: readonly Step[],
  gone: readonly string[],
): SchemaChange[] {
  // A default fills in a required field, so that no object lacks it.
  const [before, after] = [old, next].map(({ required = [], properties = {} }) =>
    required.filter((name) => memberOf(properties, name)?.default === undefined),
  );
  const fieldOf = (property: string): readonly Step[] => [...steps, { property }];
  const added = after!.filter((name) => !before!.includes(name));
  const removed = before!.filter((name) => !after!.includes(name) && !gone.includes(name));
  return [
    ...added.map((name): SchemaChange => {
      const aim: Aim = { ...refusedAs(/Required/u), isAbsent: true };
      return { rule: "required-added", steps: fieldOf(name), message: "the field is required", aim };
    }),
    ...removed.map((name): SchemaChange => {
      const aim: Aim = { ...reversed, isAbsent: true };
      return {
        rule: "required-removed",
        steps: fieldOf(name),
        message: "the field was required, and may be absent",
        aim,
      };
    }),
  ];
}

function includes(values: readonly unknown[], value: unknown): boolean {
  return values.some((other) => isEqual(other, value));
}

function show(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(", ");
}

/** Writes a place in an object: `.spec.ports[].name`, and `.spec.labels.*` for the values of a map. */
export function placeText(steps: readonly Step[]): string {
  return steps
    .map((step) => (step === "items" ? "[]" : step === "additionalProperties" ? ".*" : `.${step.property}`))
    .join("");
}
