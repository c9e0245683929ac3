/** Makes a field's value fit for a log line: errors as text, stored objects as references, nothing that JSON can't say. */
export function formatField(value: unknown, depth = 0): unknown {
  switch (typeof value) {
    case "bigint":
    case "symbol":
      return String(value);
    case "function":
      return `[function ${value.name}]`;
    case "object":
      return value === null ? null : formatObject(value, depth);
    default:
      return value;
  }
}

/** Deeper values are most often a mistake, and a cycle has no end. */
const deepest = 8;

function formatObject(value: object, depth: number): unknown {
  if (value instanceof Error) return formatError(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  const reference = objectReference(value);
  if (reference) return reference;
  if (depth >= deepest) return "[deeper]";
  if (Array.isArray(value)) return value.map((item) => formatField(item, depth + 1));
  if (value instanceof Map || value instanceof Set)
    return [...value].map((item) => formatField(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, formatField(field, depth + 1)]),
  );
}

/** A stored object is named and not written out: it is long, and a Secret must not be in a log. */
function objectReference(value: object): object | undefined {
  if (!("kind" in value && "apiVersion" in value && "metadata" in value)) return undefined;
  const { kind, apiVersion } = value;
  const { name, namespace } = (value.metadata ?? {}) as { name?: string; namespace?: string };
  return { apiVersion, kind, ...(namespace === undefined ? {} : { namespace }), name };
}

function formatError(error: Error): string {
  const parts = [error.message || error.name];
  if (error instanceof AggregateError)
    parts.push(`[${error.errors.map((inner) => String(formatField(inner))).join("; ")}]`);
  if (error.cause instanceof Error && !error.message.includes(error.cause.message))
    parts.push(formatError(error.cause));
  return parts.join(": ");
}
