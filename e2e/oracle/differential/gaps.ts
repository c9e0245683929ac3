import { resolve, type Schema, type Schemas } from "./schema.ts";

/** A place in an object, and the value to put there; undefined removes the field. */
export interface Gap {
  readonly path: readonly string[];
  readonly value: unknown;
}

interface Tree {
  [field: string]: unknown;
}

/** Without these an object is no longer of its kind, or another one. */
const identity = new Set(["apiVersion", "kind", "metadata.name", "metadata.namespace"]);

/**
 * Every place of an object whose value is a list, a map or a struct, or could be one, once for each way in which it can
 * be empty: missing, null, without entries, with an entry that is null or has no fields.
 */
export function gapsIn(
  value: unknown,
  wanted: Schema | undefined,
  schemas: Schemas = {},
  path: readonly string[] = [],
): Gap[] {
  if (typeof value !== "object" || value === null || path.length > 9) return [];
  const schema = wanted && resolve(wanted, schemas);
  const names = new Set([...Object.keys(value), ...Object.keys(schema?.properties ?? {})]);
  return [...names].flatMap((name) => {
    const at = [...path, name];
    if (identity.has(at.join("."))) return [];
    const child = (value as Tree)[name];
    const node = schema?.properties?.[name] ?? schema?.items ?? schema?.additionalProperties;
    const forms = emptyForms(child, node && resolve(node, schemas));
    return [...forms.map((form) => ({ path: at, value: form })), ...gapsIn(child, node, schemas, at)];
  });
}

function emptyForms(value: unknown, schema: Schema | undefined): unknown[] {
  if (Array.isArray(value) || schema?.type === "array") return [undefined, null, [], [null], [{}]];
  if (typeof value === "object" || schema?.type === "object") return [undefined, null, {}, { a: null }];
  return value === undefined ? [null] : [undefined, null];
}

/** The object with a value at each of these places, as far as the places are still there. */
export function withGaps(object: object, gaps: readonly Gap[]): object {
  const copy = structuredClone(object);
  for (const { path, value } of gaps) {
    let parent: unknown = copy;
    for (const name of path.slice(0, -1)) parent = (parent as Tree | null | undefined)?.[name];
    if (typeof parent === "object" && parent !== null) (parent as Tree)[path.at(-1)!] = value;
  }
  return copy;
}
