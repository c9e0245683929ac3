import { originKey, problemKey, refKey, type Schema } from "./schema.ts";

/** What two schemas that meet have against each other. */
export interface MergeConflict {
  readonly message: string;
  readonly hint: string;
}

/**
 * Merges `source` into `target` as controller-gen flattens `allOf`: a named type into the field that uses it, a base
 * into the type that extends it. What both say differently goes to an `allOf` of its own; CRDs allow value
 * validation there, but no types and no defaults.
 */
export function mergeInto(
  target: Schema,
  source: Schema,
  onConflict: (conflict: MergeConflict) => void,
): void {
  for (const branch of source.allOf ?? []) mergeInto(target, branch, onConflict);
  const [left, right]: [Schema, Schema] = [{}, {}];
  for (const key of Object.keys(source) as (keyof Schema & string)[]) {
    if (source[key] === undefined || keptApart.has(key)) continue;
    if (target[key] === undefined) set(target, key, source[key]);
    else if (comparedByValue.has(key) && target[key] === source[key]) continue;
    else if (!mergeKey(target, source, key, onConflict)) {
      set(left, key, target[key]);
      set(right, key, source[key]);
      target[key] = undefined;
    }
  }
  const isHoisted = Object.keys(left).length > 0;
  if (isHoisted) target.allOf = [...(target.allOf ?? []), left, right];
  mergeSymbols(target, source);
}

/** Documentation belongs to the place that shows it, and the branches of `allOf` were merged already. */
const keptApart = new Set(["allOf", "title", "description", "example", "externalDocs"]);

/** Go holds these by value; numbers and defaults are pointers there, which differ even when they point at equals. */
const comparedByValue = new Set([
  "type",
  "format",
  "pattern",
  "nullable",
  "uniqueItems",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "maxProperties",
  "minProperties",
  "x-kubernetes-embedded-resource",
  "x-kubernetes-int-or-string",
]);

/** The field says how its value merges, whatever the type says. */
const sourceWins = new Set([
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-map-type",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
]);

/** Merges one key that both have. False: it has to go to `allOf`. */
function mergeKey(
  target: Schema,
  source: Schema,
  key: keyof Schema & string,
  onConflict: (conflict: MergeConflict) => void,
): boolean {
  if (sourceWins.has(key)) {
    set(target, key, source[key]);
    return true;
  }
  switch (key) {
    case "type":
      onConflict({
        message: `the types ${target.type} and ${source.type} meet here`,
        hint: "give both the same type, or put +kubebuilder:validation:Schemaless on the field",
      });
      return true;
    case "enum":
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
            "the type and the field that uses it have different defaults, which the API server refuses",
          hint: "keep one of the two defaults",
        });
      }
      return false;
    default:
      return false;
  }
}

function mergeProperties(
  target: Schema,
  source: Schema,
  onConflict: (conflict: MergeConflict) => void,
): void {
  const merged = { ...target.properties };
  for (const [name, schema] of Object.entries(source.properties ?? {})) {
    const known = merged[name];
    if (!known) {
      merged[name] = schema;
      continue;
    }
    const copy = { ...known };
    mergeInto(copy, schema, onConflict);
    merged[name] = copy;
  }
  target.properties = merged;
}

function mergeValues(target: Schema, source: Schema, onConflict: (conflict: MergeConflict) => void): void {
  if (typeof source.additionalProperties !== "object") return;
  const values = typeof target.additionalProperties === "object" ? { ...target.additionalProperties } : {};
  mergeInto(values, source.additionalProperties, onConflict);
  target.additionalProperties = values;
}

function mergeSymbols(target: Schema, source: Schema): void {
  const [own, other] = [target[originKey], source[originKey]];
  if (!own) target[originKey] = other;
  else if (other) {
    target[originKey] = { place: other.place, markers: new Map([...own.markers, ...other.markers]) };
  }
  target[problemKey] ??= source[problemKey];
  target[refKey] ??= source[refKey];
}

function set(schema: Schema, key: keyof Schema & string, value: unknown): void {
  (schema as Record<string, unknown>)[key] = value;
}
