import { compareText } from "@tsbuilder/apimachinery/text";
import type { LabelSelector } from "@tsbuilder/apimachinery/meta";

/** Reads a field by its path; undefined if it or a parent is absent. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows what the path holds
export function readField<T = unknown>(object: unknown, path: string): T | undefined {
  let value = object;
  for (const field of path.split(".")) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Record<string, unknown>)[field];
  }
  return (value ?? undefined) as T | undefined;
}

/** Sets the field at a dotted path, and creates the objects above it. */
export function setField(object: object, path: string, value: unknown): void {
  const fields = path.split(".");
  const last = fields.pop()!;
  let parent = object as Record<string, unknown>;
  for (const field of fields) parent = (parent[field] ??= {}) as Record<string, unknown>;
  parent[last] = value;
}

/** A cell with the text of a field. */
export function text(path: string, absent = ""): (object: unknown) => string {
  return (object) => {
    const value = readField(object, path);
    if (value === undefined || value === "") return absent;
    return typeof value === "string" ? value : JSON.stringify(value);
  };
}

/** A cell with the number in a field. */
export function count(path: string): (object: unknown) => number {
  return (object) => readField<number>(object, path) ?? 0;
}

/** A cell with the number of items in a list or map. */
export function size(path: string): (object: unknown) => number {
  return (object) => Object.keys(readField<object>(object, path) ?? {}).length;
}

/** A selector as tables print it: `app=web,tier in (a,b)`. */
export function formatSelector(selector: LabelSelector | undefined): string {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  const labels = Object.entries(matchLabels).map(([key, value]) => ({ key, text: `${key}=${value}` }));
  const expressions = matchExpressions.map(({ key, operator, values = [] }) => {
    const list = `(${[...values].sort().join(",")})`;
    const forms = {
      In: `${key} in ${list}`,
      NotIn: `${key} notin ${list}`,
      Exists: key,
      DoesNotExist: `!${key}`,
    };
    return { key, text: forms[operator] };
  });
  const all = [...labels, ...expressions].sort((a, b) => compareText(a.key, b.key));
  return all.length === 0 ? "<none>" : all.map(({ text }) => text).join(",");
}
