import { missingPermission } from "@tsbuilder/apimachinery/naming";
import { ApiError } from "../errors/api-error.ts";

/** Converts a field's value to JSON for a log line: errors to text, Kubernetes objects to references. Never throws. */
export function formatField(value: unknown, depth = 0): unknown {
  switch (typeof value) {
    case "bigint":
    case "symbol":
      return String(value);
    case "function":
      return `[function ${textOf(() => (value as { name: unknown }).name)}]`;
    case "object":
      return value === null ? null : (tryRead(() => formatObject(value, depth)) ?? "[unprintable]");
    default:
      return value;
  }
}

/** The depth at which values are cut: deeper ones are usually a mistake, and a cycle has no end. */
const maxDepth = 8;

function formatObject(value: object, depth: number): unknown {
  if (value instanceof Error) return formatError(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  const reference = objectReference(value);
  if (reference) return reference;
  if (depth >= maxDepth) return "[deeper]";
  if (Array.isArray(value)) return value.map((item) => formatField(item, depth + 1));
  if (value instanceof Map || value instanceof Set)
    return [...value].map((item) => formatField(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, formatField(field, depth + 1)]),
  );
}

/** An object is logged by name only: it is long, and a Secret must not get into a log. */
function objectReference(value: object): object | undefined {
  if (!("kind" in value && "apiVersion" in value && "metadata" in value)) return undefined;
  const { kind, apiVersion } = value;
  const { name, namespace } = (value.metadata ?? {}) as { name?: string; namespace?: string };
  return { apiVersion, kind, ...(namespace === undefined ? {} : { namespace }), name };
}

/** An error with everything it contains, each error only once: causes may be circular. `fetch failed: connect ECONNREFUSED …`. */
export function formatError(error: Error, shown = new Set<Error>()): string {
  if (shown.has(error)) return "[shown already]";
  shown.add(error);
  const inner = (value: unknown): string =>
    value instanceof Error ? formatError(value, shown) : String(formatField(value));
  const parts = [textOf(() => error.message) || textOf(() => error.name)];
  const errors = error instanceof AggregateError ? tryRead((): unknown => error.errors) : undefined;
  if (Array.isArray(errors)) parts.push(`[${errors.map(inner).join("; ")}]`);
  const cause = tryRead(() => error.cause);
  if (cause instanceof Error && !shown.has(cause) && !parts[0]!.includes(textOf(() => cause.message)))
    parts.push(inner(cause));
  return parts.join(": ");
}

/** The stack of an error; undefined if it isn't an error, or has none. */
export function stackOf(error: unknown): string | undefined {
  const stack = tryRead(() => (error instanceof Error ? error.stack : undefined));
  return typeof stack === "string" ? stack : undefined;
}

/** A log field with the RBAC marker to add, if an error says that RBAC forbids a request; else undefined. */
export function permissionHint(error: unknown): { readonly hint: string } | undefined {
  const missing = tryRead(() =>
    error instanceof ApiError && error.isForbidden ? missingPermission(error.message) : undefined,
  );
  return missing && { hint: `to allow it, add a marker to the controller: ${missing.marker}` };
}

/** Reads a field that should be text; "" if there is none. */
function textOf(get: () => unknown): string {
  const value = tryRead(get);
  return typeof value === "string" ? value : value === undefined ? "" : String(formatField(value));
}

/** Reads from a value whose getters or proxies may throw; undefined if they do. */
function tryRead<T>(get: () => T): T | undefined {
  try {
    return get();
  } catch {
    return undefined;
  }
}
