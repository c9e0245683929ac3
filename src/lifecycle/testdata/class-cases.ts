import type { CRDSpec, CRDVersion } from "@tsbuilder/apimachinery/crd";
import type { JSONSchema } from "@tsbuilder/apimachinery/schema";
import type { ComparedCrd } from "../compare-crds.ts";
import type { ChangeRule, ChangeSeverity } from "../rules.ts";
import type { Witness } from "../witness.ts";

/** A change of a schema of `spec`, with what is found. */
export interface ClassCase {
  readonly rule: ChangeRule;
  readonly what: string;
  readonly old: JSONSchema;
  readonly next: JSONSchema;
  readonly severity: ChangeSeverity;
  /** The place below `.spec`. */
  readonly path: string;
  readonly outcome?: Witness["outcome"];
  /** The witness without its apiVersion, kind and metadata. */
  readonly spec?: unknown;
  readonly unchanged?: string | undefined;
}

const object = (properties: Record<string, JSONSchema>, more: JSONSchema = {}): JSONSchema => ({
  type: "object",
  properties,
  ...more,
});
const one = (schema: JSONSchema): JSONSchema => object({ a: schema });
const text: JSONSchema = { type: "string" };
const integer: JSONSchema = { type: "integer" };
const list = (items: JSONSchema, more: JSONSchema = {}): JSONSchema => ({ type: "array", items, ...more });
const item = object({ name: text, port: integer }, { required: ["name", "port"] });
const few = list({ ...text, maxLength: 9 }, { maxItems: 9 });
const rule = (expression: string): JSONSchema => ({ "x-kubernetes-validations": [{ rule: expression }] });

/** Cases about one field of the spec. */
const fieldCases: readonly (readonly [ChangeRule, string, JSONSchema, JSONSchema, ChangeSeverity, Partial<ClassCase>?])[] = [
  ["type-changed", "text to number", text, integer, "error", { outcome: "refused", unchanged: ".spec.a" }],
  ["type-changed", "number to integer", { type: "number" }, integer, "error"],
  ["type-widened", "integer to int-or-string", integer, { "x-kubernetes-int-or-string": true }, "warning", { outcome: "unknown", spec: { a: "a" } }],
  ["type-widened", "integer to number", integer, { type: "number" }, "warning", { outcome: "unknown", spec: { a: 0.5 } }],
  ["nullable-removed", "null dropped", { ...text, nullable: true }, text, "error", { outcome: "lost", spec: { a: null } }],
  ["nullable-added", "null", text, { ...text, nullable: true }, "warning", { outcome: "unknown", spec: { a: null } }],
  ["enum-narrowed", "a value less", { ...text, enum: ["b", "c", "d"] }, { ...text, enum: ["b", "c"] }, "error", { outcome: "refused", spec: { a: "d" }, unchanged: ".spec.a" }],
  ["enum-narrowed", "any text before", text, { ...text, enum: ["b"] }, "error", { outcome: "refused", spec: { a: "a" } }],
  ["enum-widened", "a value more", { ...text, enum: ["b"] }, { ...text, enum: ["b", "c"] }, "warning", { outcome: "unknown", spec: { a: "c" } }],
  ["bound-narrowed", "maximum", integer, { ...integer, maximum: 5 }, "error", { outcome: "refused", spec: { a: 6 }, unchanged: ".spec.a" }],
  ["bound-narrowed", "minimum", { ...integer, minimum: 1 }, { ...integer, minimum: 3 }, "error", { outcome: "refused", spec: { a: 1 } }],
  ["bound-narrowed", "maximum, excluded now", { ...integer, maximum: 5 }, { ...integer, maximum: 5, exclusiveMaximum: true }, "error", { outcome: "refused", spec: { a: 5 } }],
  ["bound-narrowed", "multipleOf", integer, { ...integer, multipleOf: 10 }, "error", { outcome: "refused", spec: { a: 1 } }],
  ["bound-narrowed", "maxLength", text, { ...text, maxLength: 3 }, "error", { outcome: "refused", spec: { a: "aaaa" } }],
  ["bound-narrowed", "minLength", text, { ...text, minLength: 1 }, "error", { outcome: "refused", spec: { a: "" } }],
  ["bound-narrowed", "maxItems", list(text), list(text, { maxItems: 1 }), "error", { outcome: "refused" }],
  ["bound-narrowed", "minItems", list(text), list(text, { minItems: 1 }), "error", { outcome: "refused", spec: { a: [] } }],
  ["bound-narrowed", "maxProperties", { type: "object", additionalProperties: text }, { type: "object", additionalProperties: text, maxProperties: 1 }, "error", { outcome: "refused" }],
  ["bound-widened", "maximum", { ...integer, maximum: 5 }, integer, "none"],
  ["bound-widened", "minLength", { ...text, minLength: 5 }, { ...text, minLength: 1 }, "none"],
  ["pattern-changed", "lower case only", text, { ...text, pattern: "^[a-z]+$" }, "error", { outcome: "refused" }],
  ["pattern-changed", "a longer suffix", { ...text, pattern: "^v[0-9]+$" }, { ...text, pattern: "^v[0-9]+\\.[0-9]+$" }, "error", { outcome: "refused" }],
  ["format-changed", "date", text, { ...text, format: "date" }, "error", { outcome: "refused", spec: { a: "a" } }],
  ["alternatives-changed", "another branch", { ...text, anyOf: [{ pattern: "^b" }, { pattern: "^a" }] }, { ...text, anyOf: [{ pattern: "^b" }, { pattern: "^c" }] }, "error", { outcome: "refused", spec: { a: "a" } }],
  ["rule-added", "a comparison", integer, { ...integer, ...rule("self < 3") }, "error", { outcome: "refused", unchanged: ".spec.a" }],
  ["rule-added", "about empty texts", text, { ...text, ...rule("self != ''") }, "error", { outcome: "refused", spec: { a: "" } }],
  ["rule-added", "about updates", text, { ...text, ...rule("self == oldSelf") }, "error", { outcome: "refused", unchanged: undefined }],
  ["rule-added", "no item twice", few, { ...few, ...rule("self.all(x, self.exists_one(y, x == y))") }, "error", { outcome: "refused" }],
  ["rule-changed", "stricter", { ...integer, ...rule("self < 30") }, { ...integer, ...rule("self < 3") }, "error", { outcome: "refused" }],
  ["rule-removed", "", { ...integer, ...rule("self < 30") }, integer, "none"],
  ["default-added", "", integer, { ...integer, default: 1 }, "warning", { outcome: "other value", spec: {} }],
  ["default-changed", "", { ...integer, default: 1 }, { ...integer, default: 2 }, "error", { outcome: "other value", spec: {} }],
  ["default-removed", "", { ...integer, default: 1 }, integer, "error", { outcome: "other value", spec: {} }],
  ["unknown-fields-pruned", "a map has fixed fields", { type: "object", additionalProperties: text }, object({ b: text }), "error", { outcome: "lost" }],
  ["unknown-fields-pruned", "preserved before", object({}, { "x-kubernetes-preserve-unknown-fields": true }), object({}), "error", { outcome: "lost" }],
  ["unknown-fields-kept", "", object({}), object({}, { "x-kubernetes-preserve-unknown-fields": true }), "none"],
  ["embedded-resource-changed", "", { type: "object", "x-kubernetes-preserve-unknown-fields": true }, { type: "object", "x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-embedded-resource": true }, "error", { outcome: "refused", spec: { a: {} } }],
  ["list-type-changed", "a set", list(text), list(text, { "x-kubernetes-list-type": "set" }), "error", { outcome: "refused" }],
  ["list-type-changed", "a list map", list(item), list(item, { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] }), "error", { outcome: "refused" }],
  ["list-type-changed", "atomic", list(text, { "x-kubernetes-list-type": "set" }), list(text), "warning"],
  ["map-keys-changed", "a key less", list(item, { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name", "port"] }), list(item, { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] }), "error", { outcome: "refused" }],
  ["map-type-changed", "granular", { ...one(text), "x-kubernetes-map-type": "atomic" }, one(text), "warning"],
  ["map-type-changed", "atomic", one(text), { ...one(text), "x-kubernetes-map-type": "atomic" }, "none"],
];

/** A case for each class of changes that a schema can have. */
export const classCases: readonly ClassCase[] = [
  ...fieldCases.map(([rule, what, old, next, severity, more = {}]) => ({ rule, what, old: one(old), next: one(next), severity, path: ".a", ...more })),
  { rule: "field-removed", what: "", old: one(text), next: object({}), severity: "error", path: ".a", outcome: "lost", spec: { a: "a" } },
  { rule: "field-removed", what: "with all below", old: one(item), next: object({}), severity: "error", path: ".a", outcome: "lost" },
  { rule: "field-renamed", what: "", old: object({ a: { ...text, enum: ["on", "off", "automatic"] } }), next: object({ b: { ...text, enum: ["on", "off", "automatic"] } }), severity: "error", path: ".a", outcome: "lost" },
  { rule: "field-added", what: "", old: object({}), next: one(text), severity: "none", path: ".a" },
  { rule: "required-added", what: "", old: one(text), next: object({ a: text }, { required: ["a"] }), severity: "error", path: ".a", outcome: "refused", spec: {}, unchanged: ".spec" },
  { rule: "required-added", what: "a new field", old: object({}), next: object({ a: text }, { required: ["a"] }), severity: "error", path: ".a", outcome: "refused", spec: {} },
  { rule: "required-removed", what: "", old: object({ a: text }, { required: ["a"] }), next: one(text), severity: "warning", path: ".a", outcome: "unknown", spec: {} },
  { rule: "required-added", what: "in the items of a list", old: one(list(object({ b: text }))), next: one(list(object({ b: text }, { required: ["b"] }))), severity: "error", path: ".a[].b", outcome: "refused", spec: { a: [{}] } },
  { rule: "bound-narrowed", what: "in the values of a map", old: one({ type: "object", additionalProperties: integer }), next: one({ type: "object", additionalProperties: { ...integer, maximum: 5 } }), severity: "error", path: ".a.*", outcome: "refused" },
];

/** Returns a CRD with a schema for its spec. */
export function crdWith(spec: JSONSchema, version: Partial<CRDVersion> = {}, more: Partial<CRDSpec> = {}): ComparedCrd {
  const names = { kind: "Thing", plural: "things", singular: "thing", listKind: "ThingList" };
  const schema = { openAPIV3Schema: object({ spec }) };
  return {
    metadata: { name: `things.${more.group ?? "example.com"}` },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names,
      versions: [{ name: "v1", served: true, storage: true, schema, ...version }],
      conversion: { strategy: "None" },
      ...more,
    },
  };
}
