import { type Schema, descriptorsKey, originKey, problemKey, refKey } from "../model/schema.ts";
import type { DiagnosticLog, Place } from "../model/diagnostic.ts";

/** Is called for each conflict between two schemas. */
type OnConflict = (conflict: { readonly message: string; readonly hint: string }) => void;

/** Completes a schema after its markers are applied: merges named types, and reports problems that remain. */
export function settle(schema: Schema, place: Place, log: DiagnosticLog): Schema {
  const settled: Schema = { ...schema };
  if (settled.items) settled.items = settle(settled.items, place, log);
  if (typeof settled.additionalProperties === "object") {
    settled.additionalProperties = settle(settled.additionalProperties, place, log);
  }
  const problem = settled[problemKey];
  if (problem && !isReplacedByMarker(settled)) log.error(problem.place, problem.message, problem.hint);
  settled[problemKey] = undefined;
  const namedType = settled[refKey];
  if (!namedType) return settled;
  settled[refKey] = undefined;
  const merged: Schema = {};
  const onConflict: OnConflict = ({ message, hint }) => log.error(place, message, hint);
  mergeInto(merged, namedType, onConflict);
  mergeInto(merged, settled, onConflict);
  for (const key of ["description", "title", "example", "externalDocs"] as const) {
    const value = settled[key] ?? namedType[key];
    if (value !== undefined) Object.assign(merged, { [key]: value });
  }
  merged[descriptorsKey] = settled[descriptorsKey];
  return merged;
}

/** Returns whether a marker sets the type or accepts any value, so that the problem of the written type is void. */
function isReplacedByMarker(schema: Schema): boolean {
  const markers = schema[originKey]?.markers;
  return (
    markers?.has("type") === true ||
    schema["x-kubernetes-preserve-unknown-fields"] === true ||
    schema["x-kubernetes-int-or-string"] === true
  );
}

/** Keys that are not merged: `settle` chooses the documentation, and the branches of `allOf` were merged before. */
const notMerged = new Set(["allOf", "title", "description", "example", "externalDocs"]);

/** Go stores these by value; numbers and defaults are pointers there, which differ even if their values are equal. */
const comparedByValue = new Set(
  (
    "type format pattern nullable uniqueItems exclusiveMaximum exclusiveMinimum maxProperties " +
    "minProperties x-kubernetes-embedded-resource x-kubernetes-int-or-string"
  ).split(" "),
);

/**
 * Merges `source` into `target` like controller-gen flattens `allOf`: a named type into the field that uses it, a base
 * into the type that extends it. Conflicting values go to separate `allOf` branches, where CRDs allow value validation
 * but no types or defaults.
 */
export function mergeInto(target: Schema, source: Schema, onConflict: OnConflict): void {
  for (const branch of source.allOf ?? []) {
    // An enum of a type that may be null: see `orNull`.
    if (source.nullable && branch.enum) target.allOf = [...(target.allOf ?? []), branch];
    else mergeInto(target, branch, onConflict);
  }
  const [left, right]: [Schema, Schema] = [{}, {}];
  for (const key of Object.keys(source) as (keyof Schema & string)[]) {
    if (source[key] === undefined || notMerged.has(key)) continue;
    if (target[key] === undefined) setKey(target, key, source[key]);
    else if (comparedByValue.has(key) && target[key] === source[key]) continue;
    else if (!mergeKey(target, source, key, onConflict)) {
      setKey(left, key, target[key]);
      setKey(right, key, source[key]);
      target[key] = undefined;
    }
  }
  const isHoisted = Object.keys(left).length > 0;
  if (isHoisted) target.allOf = [...(target.allOf ?? []), left, right];
  mergeSymbols(target, source);
}

/** Keys of which the field's value replaces that of its type: how server-side apply merges, and what it prunes. */
const sourceWins = new Set([
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-map-type",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
]);

/** Merges a key that both schemas have. Returns false if both values must become branches of `allOf`. */
function mergeKey(target: Schema, source: Schema, key: keyof Schema & string, onConflict: OnConflict) {
  if (sourceWins.has(key)) {
    setKey(target, key, source[key]);
    return true;
  }
  switch (key) {
    case "type":
      onConflict({
        message: `conflicting types ${target.type} and ${source.type}`,
        hint: "give both the same type, or put +kubebuilder:validation:Schemaless on the field",
      });
      return true;
    case "enum":
      // controller-gen knows enums of markers only, and ignores that of the field.
      if (target[originKey]?.markers.has("enum")) return true;
      target.enum = target.enum?.filter((value) => source.enum?.includes(value));
      if (target.enum?.length === 0) {
        onConflict({
          message: "no value is in the enum of the type and in that of the field",
          hint: "give both the same values",
        });
      }
      return true;
    case "required":
      target.required = [...new Set([...(target.required ?? []), ...(source.required ?? [])])].sort();
      return true;
    case "properties":
      mergeProperties(target, source, onConflict);
      return true;
    case "additionalProperties":
      mergeValues(target, source, onConflict);
      return true;
    case "x-kubernetes-validations":
      target[key] = [...(source[key] ?? []), ...(target[key] ?? [])];
      return true;
    case "default":
      if (JSON.stringify(target.default) !== JSON.stringify(source.default)) {
        onConflict({
          message:
            "the type and the field that uses it have different defaults, which the API server rejects",
          hint: "keep only one of the two defaults",
        });
      }
      return false;
    default:
      return false;
  }
}

function mergeProperties(target: Schema, source: Schema, onConflict: OnConflict): void {
  // A property may be named __proto__, so this is not a plain object yet.
  const merged = new Map(Object.entries(target.properties ?? {}));
  for (const [name, schema] of Object.entries(source.properties ?? {})) {
    const known = merged.get(name);
    const copy = known ? { ...known } : schema;
    if (known) mergeInto(copy, schema, onConflict);
    merged.set(name, copy);
  }
  target.properties = Object.fromEntries(merged);
}

function mergeValues(target: Schema, source: Schema, onConflict: OnConflict): void {
  if (typeof source.additionalProperties !== "object") return;
  const values = typeof target.additionalProperties === "object" ? { ...target.additionalProperties } : {};
  mergeInto(values, source.additionalProperties, onConflict);
  target.additionalProperties = values;
}

function mergeSymbols(target: Schema, source: Schema): void {
  const [first, second] = [target[originKey], source[originKey]];
  if (!first) target[originKey] = second;
  else if (second) {
    target[originKey] = { place: second.place, markers: new Map([...first.markers, ...second.markers]) };
  }
  target[problemKey] ??= source[problemKey];
  target[refKey] ??= source[refKey];
}

function setKey(schema: Schema, key: keyof Schema & string, value: unknown): void {
  (schema as Record<string, unknown>)[key] = value;
}
