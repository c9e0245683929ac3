// Compares the keywords of two schemas at one place, without the schemas inside them. `compare-schemas.ts` visits all places.

import { isEqual, memberOf } from "@tsbuilder/apimachinery/json";
import type { JSONSchema, ValidationRule } from "@tsbuilder/apimachinery/schema";
import { celName } from "../generators/model/schema.ts";
import type { Aim, SchemaChange, Step } from "./schema-change.ts";

type Steps = readonly Step[];

const refused = { expects: "refused" } as const satisfies Aim;
const reversed = { expects: "refused", isReversed: true } as const satisfies Aim;

/** Aims at an object that is rejected with an error of these words. */
export const refusedWith = (error: RegExp): Aim => ({ expects: "refused", error });

/** Compares all keywords but the type. */
export function compareKeywords(old: JSONSchema, next: JSONSchema, steps: Steps): SchemaChange[] {
  return [
    ...compareNull(old, next, steps),
    ...compareEnums(old, next, steps),
    ...compareTexts(old, next, steps),
    ...compareAlternatives(old, next, steps),
    ...compareDefaults(old, next, steps),
    ...compareEmbedding(old, next, steps),
    ...compareBounds(old, next, steps),
    ...compareMultiples(old, next, steps),
    ...compareRules(old, next, steps),
    ...compareLists(old, next, steps),
    ...compareMaps(old, next, steps),
  ];
}

/** Returns the type of a schema, with Kubernetes' int-or-string; `any` for a schema without a type. */
export function typeOf({ type, ...schema }: JSONSchema): string {
  if (schema["x-kubernetes-int-or-string"]) return "int-or-string";
  return type || "any";
}

/** The types that accept all values of a type. */
const widerTypes: Readonly<Record<string, readonly string[]>> = {
  integer: ["number", "int-or-string", "any"],
  string: ["int-or-string", "any"],
  number: ["any"],
  boolean: ["any"],
  "int-or-string": ["any"],
};

/** Compares the types of two schemas. */
export function compareTypes(old: JSONSchema, next: JSONSchema, steps: Steps): SchemaChange | undefined {
  const [before, now] = [typeOf(old), typeOf(next)];
  // An object or a list of arbitrary content has no type; compare-schemas.ts compares its members.
  if (before === now || (now === "any" && (before === "object" || before === "array"))) return undefined;
  const message = `the type was ${before} and is now ${now}`;
  if (!widerTypes[before]?.includes(now)) {
    const aim = refusedWith(/TypeInvalid|of type|anyOf/u);
    return { rule: "type-changed", steps, keyword: "type", message, aim };
  }
  const aim: Aim = { ...reversed, schema: onlyNewValues(before, next) };
  return { rule: "type-widened", steps, keyword: "type", message, aim };
}

/** Restricts a wider type to values that the earlier type did not accept. */
function onlyNewValues(before: string, next: JSONSchema): JSONSchema {
  const { "x-kubernetes-int-or-string": _, anyOf: __, ...rest } = next;
  if (before === "integer" && typeOf(next) === "number") return { ...rest, enum: [0.5] };
  return { ...rest, type: before === "string" ? "integer" : "string" };
}

function compareNull(old: JSONSchema, next: JSONSchema, steps: Steps): SchemaChange[] {
  const [before, now] = [old.nullable === true, next.nullable === true];
  if (before === now) return [];
  // An API server drops a null that is not allowed, unless the field is required.
  const aim: Aim = { expects: "lost", schema: { enum: [null] } };
  return before
    ? [{ rule: "nullable-removed", steps, keyword: "nullable", message: "null is no longer allowed", aim }]
    : [
        {
          rule: "nullable-added",
          steps,
          keyword: "nullable",
          message: "null is now allowed",
          aim: { ...aim, isReversed: true },
        },
      ];
}

function compareEnums(old: JSONSchema, next: JSONSchema, steps: Steps): SchemaChange[] {
  const [before, now] = [enumOf(old), enumOf(next)];
  const missingIn = (values: readonly unknown[] | undefined, others: readonly unknown[] = []): unknown[] =>
    values ? others.filter((other) => !values.some((value) => isEqual(value, other))) : [];
  const [removed, added] = [missingIn(now, before), missingIn(before, now)];
  const changes: SchemaChange[] = [];
  if (now && (!before || removed.length > 0)) {
    const message = before
      ? `${show(removed)} ${removed.length === 1 ? "is" : "are"} no longer allowed`
      : `only ${show(now)} ${now.length === 1 ? "is" : "are"} allowed now`;
    const aim = { ...refusedWith(/NotSupported/u), ...(before && { schema: { ...old, enum: removed } }) };
    changes.push({ rule: "enum-narrowed", steps, keyword: "enum", message, aim });
  }
  if (before && (!now || added.length > 0)) {
    const message = now
      ? `${show(added)} ${added.length === 1 ? "is" : "are"} now allowed, too`
      : "any value is now allowed";
    const aim = { ...reversed, ...(now && { schema: { ...next, enum: added } }) };
    changes.push({ rule: "enum-widened", steps, keyword: "enum", message, aim });
  }
  return changes;
}

/** Returns the values of an enum. The enum of a field that may be null stands in an `allOf`. */
function enumOf({ enum: values, allOf = [] }: JSONSchema): readonly unknown[] | undefined {
  return values?.length ? values : allOf.find((branch) => branch.enum)?.enum;
}

function show(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(", ");
}

function compareTexts(old: JSONSchema, next: JSONSchema, steps: Steps): SchemaChange[] {
  const keywords = [
    { keyword: "pattern", rule: "pattern-changed", error: /should match/u },
    { keyword: "format", rule: "format-changed", error: /of type/u },
  ] as const;
  return keywords.flatMap(({ keyword, rule, error }): SchemaChange[] => {
    const [before, now] = [old[keyword], next[keyword]];
    if (!now || (before ?? "") === now) return [];
    const message = before
      ? `the ${keyword} was ${before} and is now ${now}`
      : `there was no ${keyword}, and it is now ${now}`;
    return [{ rule, steps, keyword, message, aim: refusedWith(error) }];
  });
}

function compareAlternatives(old: JSONSchema, next: JSONSchema, steps: Steps): SchemaChange[] {
  if (isEqual(alternativesOf(old), alternativesOf(next))) return [];
  const message = "the alternatives in allOf, anyOf, oneOf or not changed";
  return [{ rule: "alternatives-changed", steps, keyword: "anyOf", message, aim: refused }];
}

/** Returns the alternatives of a schema, without those that belong to int-or-string and to enums. */
function alternativesOf({ allOf = [], anyOf = [], oneOf = [], not, ...schema }: JSONSchema): unknown {
  const any = schema["x-kubernetes-int-or-string"] ? [] : anyOf;
  return withoutDescriptions({ allOf: allOf.filter((branch) => !branch.enum), any, oneOf, not });
}

/** Copies a part of a schema without its descriptions. */
export function withoutDescriptions(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, part: unknown) => (key === "description" ? undefined : part)) ?? "null",
  );
}

function compareDefaults(old: JSONSchema, next: JSONSchema, steps: Steps): SchemaChange[] {
  const [before, now] = [old.default ?? undefined, next.default ?? undefined];
  if (isEqual(before, now) || steps.length === 0) return [];
  const [beforeText, nowText] = [JSON.stringify(before), JSON.stringify(now)];
  const [rule, message] =
    before === undefined
      ? (["default-added", `there was no default, and it is now ${nowText}`] as const)
      : now === undefined
        ? (["default-removed", `the default ${beforeText} was removed`] as const)
        : (["default-changed", `the default was ${beforeText} and is now ${nowText}`] as const);
  return [{ rule, steps, keyword: "default", message, aim: { expects: "other value", isAbsent: true } }];
}

function compareEmbedding(old: JSONSchema, next: JSONSchema, steps: Steps): SchemaChange[] {
  const keyword = "x-kubernetes-embedded-resource";
  if (next[keyword] !== true || old[keyword] === true) return [];
  const message = "the value must now be a Kubernetes object, with apiVersion and kind";
  return [{ rule: "embedded-resource-changed", steps, keyword, message, aim: refused }];
}

type BoundKeyword = "minimum" | "maximum" | `${"min" | "max"}${"Length" | "Items" | "Properties"}`;

interface Bound {
  readonly keyword: BoundKeyword;
  /** The keyword that is set to the first value outside the bound when a witness is drawn. */
  readonly opposite: BoundKeyword;
  /** The step from the bound to the first value outside it. */
  readonly beyond: 1 | -1;
  /** The keyword that excludes the bound itself. */
  readonly exclusive?: "exclusiveMaximum" | "exclusiveMinimum";
}

const bounds: readonly Bound[] = [
  { keyword: "maximum", opposite: "minimum", beyond: 1, exclusive: "exclusiveMaximum" },
  { keyword: "minimum", opposite: "maximum", beyond: -1, exclusive: "exclusiveMinimum" },
  { keyword: "maxLength", opposite: "minLength", beyond: 1 },
  { keyword: "minLength", opposite: "maxLength", beyond: -1 },
  { keyword: "maxItems", opposite: "minItems", beyond: 1 },
  { keyword: "minItems", opposite: "maxItems", beyond: -1 },
  { keyword: "maxProperties", opposite: "minProperties", beyond: 1 },
  { keyword: "minProperties", opposite: "maxProperties", beyond: -1 },
];

function compareBounds(old: JSONSchema, next: JSONSchema, steps: Steps): SchemaChange[] {
  return bounds.flatMap((bound): SchemaChange[] => {
    const { keyword, opposite, beyond, exclusive } = bound;
    const [before, now] = [limitOf(old, bound), limitOf(next, bound)];
    if (before === now) return [];
    const isExclusive = (schema: JSONSchema): boolean =>
      exclusive !== undefined && schema[exclusive] === true;
    const valueOf = (schema: JSONSchema): string =>
      `${schema[keyword]}${isExclusive(schema) ? " (exclusive)" : ""}`;
    const message =
      old[keyword] === undefined
        ? `there was no ${keyword}, and it is now ${valueOf(next)}`
        : next[keyword] === undefined
          ? `the ${keyword} ${valueOf(old)} was removed`
          : `the ${keyword} was ${valueOf(old)} and is now ${valueOf(next)}`;
    if (beyond * now >= beyond * before) return [{ rule: "bound-widened", steps, keyword, message }];
    const outside = isExclusive(next) ? next[keyword]! : next[keyword]! + beyond;
    const aim = { ...refusedWith(/should|TooLong|TooMany/u), schema: { ...old, [opposite]: outside } };
    return [{ rule: "bound-narrowed", steps, keyword, message, aim }];
  });
}

/** Returns a bound as a number: infinite, or a size of zero, if it is absent, and a little narrower if it is exclusive. */
function limitOf(schema: JSONSchema, { keyword, beyond, exclusive }: Bound): number {
  const limit = schema[keyword];
  if (limit === undefined) return keyword.startsWith("min") && keyword !== "minimum" ? 0 : beyond * Infinity;
  return exclusive && schema[exclusive] ? limit - beyond * 1e-9 : limit;
}

function compareMultiples(old: JSONSchema, next: JSONSchema, steps: Steps): SchemaChange[] {
  const keyword = "multipleOf";
  const [before, now] = [old[keyword], next[keyword]];
  if (before === now) return [];
  if (now === undefined)
    return [{ rule: "bound-widened", steps, keyword, message: `the multipleOf ${before} was removed` }];
  const message = `the value must now be a multiple of ${now}`;
  if (before !== undefined && before % now === 0) return [{ rule: "bound-widened", steps, keyword, message }];
  return [{ rule: "bound-narrowed", steps, keyword, message, aim: refusedWith(/multiple of/u) }];
}

/** Compares CEL rules by their expressions. Another message or reason changes nothing. */
function compareRules(old: JSONSchema, next: JSONSchema, steps: Steps): SchemaChange[] {
  const expressionOf = ({ rule = "", optionalOldSelf }: ValidationRule): string =>
    `${rule.trim()} ${optionalOldSelf === true}`;
  const [before, now] = [old, next].map((schema) => schema["x-kubernetes-validations"] ?? []) as [
    readonly ValidationRule[],
    readonly ValidationRule[],
  ];
  const isIn = (rules: readonly ValidationRule[], rule: ValidationRule): boolean =>
    rules.some((other) => expressionOf(other) === expressionOf(rule));
  const removed = new Set(before.filter((rule) => !isIn(now, rule)));
  const newFields = Object.keys(next.properties ?? {}).filter(
    (name) => !memberOf(old.properties ?? {}, name),
  );
  const changes = now.flatMap((rule, index): SchemaChange[] => {
    if (isIn(before, rule)) return [];
    // A new rule with the message of a removed rule replaces that rule.
    const replaced = [...removed].find((other) => (other.message ?? "") === (rule.message ?? ""));
    if (replaced) removed.delete(replaced);
    const isAboutNewField = newFields.some((name) => (rule.rule ?? "").split(/\W+/u).includes(celName(name)));
    return [
      {
        rule: replaced ? "rule-changed" : "rule-added",
        steps,
        keyword: `x-kubernetes-validations[${index}]`,
        message: replaced
          ? `the rule was ${replaced.rule} and is now ${rule.rule}`
          : `the rule ${rule.rule} was added`,
        aim: { ...refused, rule, isAboutNewField },
      },
    ];
  });
  const gone = [...removed].map(({ rule }): SchemaChange => ({
    rule: "rule-removed",
    steps,
    message: `the rule ${rule} was removed`,
  }));
  return [...changes, ...gone];
}

/** Compares how lists are merged, which for sets and maps also forbids duplicates. */
function compareLists(old: JSONSchema, next: JSONSchema, steps: Steps): SchemaChange[] {
  const duplicate: Aim = { ...refusedWith(/Duplicate/u), isDoubled: true };
  const [typeBefore, typeNow] = [old, next].map((schema) => schema["x-kubernetes-list-type"] ?? "atomic");
  if (typeOf(old) === "array" && typeBefore !== typeNow) {
    const message = `the list type was ${typeBefore} and is now ${typeNow}`;
    const keyword = "x-kubernetes-list-type";
    return [{ rule: "list-type-changed", steps, keyword, message, aim: duplicate }];
  }
  const keyword = "x-kubernetes-list-map-keys";
  const [before, now] = [old, next].map((schema) => schema[keyword] ?? []) as [string[], string[]];
  if (isEqual(before.toSorted(), now.toSorted())) return [];
  const message = `the keys of the list were ${before.join(", ")} and are now ${now.join(", ")}`;
  const variedKey = before.find((key) => !now.includes(key));
  const aim = variedKey !== undefined && { ...duplicate, variedKey };
  return [{ rule: "map-keys-changed", steps, keyword, message, ...(aim && { aim }) }];
}

function compareMaps(old: JSONSchema, next: JSONSchema, steps: Steps): SchemaChange[] {
  const keyword = "x-kubernetes-map-type";
  const [before, now] = [old, next].map((schema) => schema[keyword] ?? "granular");
  if (before === now) return [];
  const message = `the map type was ${before} and is now ${now}`;
  // When a map becomes atomic, the owner of one field becomes the owner of all fields.
  return [{ rule: "map-type-changed", steps, keyword, message, isHarmless: now === "atomic" }];
}
