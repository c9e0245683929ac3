import type { DiagnosticLog, Place } from "../diagnostic.ts";
import { mergeInto } from "./merge.ts";
import { descriptorsKey, originKey, problemKey, refKey, type Schema } from "./schema.ts";

/**
 * Completes a schema after its markers are applied: merges named types, and reports problems that no marker resolved.
 * Properties of objects were completed when they were built.
 */
export function settle(schema: Schema, place: Place, log: DiagnosticLog): Schema {
  const own: Schema = { ...schema };
  if (own.items) own.items = settle(own.items, place, log);
  if (typeof own.additionalProperties === "object") {
    own.additionalProperties = settle(own.additionalProperties, place, log);
  }
  const problem = own[problemKey];
  if (problem && !isMended(own)) log.error(problem.place, problem.message, problem.hint);
  own[problemKey] = undefined;
  const type = own[refKey];
  if (!type) return own;
  own[refKey] = undefined;
  const merged: Schema = {};
  const onConflict = ({ message, hint }: { message: string; hint: string }): void =>
    log.error(place, message, hint);
  mergeInto(merged, type, onConflict);
  mergeInto(merged, own, onConflict);
  for (const key of ["description", "title", "example", "externalDocs"] as const) {
    const value = own[key] ?? type[key];
    if (value !== undefined) Object.assign(merged, { [key]: value });
  }
  merged[descriptorsKey] = own[descriptorsKey];
  return merged;
}

/** A marker that sets the type, or accepts any value, replaces a type that could not be determined. */
function isMended(schema: Schema): boolean {
  const markers = schema[originKey]?.markers;
  return (
    markers?.has("type") === true ||
    schema["x-kubernetes-preserve-unknown-fields"] === true ||
    schema["x-kubernetes-int-or-string"] === true
  );
}
