import { memberOf } from "../json/index.ts";
import { itemsOf, type JSONSchema, valuesOf } from "../schema/index.ts";
import type { Random } from "./random.ts";

/** A schema without branches: one branch of each `oneOf` and `anyOf` is chosen, and merged into it. */
export interface NarrowSchema extends Omit<JSONSchema, "allOf" | "anyOf" | "oneOf" | "not"> {
  /** All patterns that a text must match. */
  readonly patterns: readonly string[];
  /** Properties that must be absent. */
  readonly absent: ReadonlySet<string>;
}

/** Chooses one branch of each alternative in a schema. */
export function narrow(schema: JSONSchema, random: Random): NarrowSchema {
  const parts: JSONSchema[] = [];
  const absent = new Set<string>();
  collect(schema);
  const merged = parts.reduce(merge, {} as JSONSchema);
  const patterns = parts.flatMap(({ pattern }) => pattern ?? []);
  return { ...merged, patterns, absent };

  function collect({ allOf = [], anyOf = [], oneOf = [], not, ...part }: JSONSchema): void {
    parts.push(part);
    for (const branch of allOf) collect(branch);
    if (anyOf.length > 0) collect(random.pick(anyOf));
    if (oneOf.length > 0) {
      const chosen = random.pick(oneOf);
      collect(chosen);
      for (const other of oneOf) if (other !== chosen) exclude(other, chosen);
    }
    if (not) for (const branch of not.anyOf ?? [not]) exclude(branch);
  }

  /** Keeps values out of a branch that wasn't chosen, by the absence of a property that it requires. */
  function exclude({ required = [] }: JSONSchema, chosen: JSONSchema = {}): void {
    const name = required.find((name) => !chosen.required?.includes(name));
    if (name !== undefined) absent.add(name);
  }
}

/** Merges two schemas into one that admits the values that both admit. Keywords that nothing is drawn from are ignored. */
function merge(a: JSONSchema, b: JSONSchema): JSONSchema {
  const merged: JSONSchema = { ...a, ...b };
  for (const name of ["minimum", "minLength", "minItems", "minProperties"] as const)
    merged[name] = strictest(Math.max, a[name], b[name]);
  for (const name of ["maximum", "maxLength", "maxItems", "maxProperties"] as const)
    merged[name] = strictest(Math.min, a[name], b[name]);
  if (a.enum && b.enum) merged.enum = a.enum.filter((value) => b.enum!.includes(value));
  merged.required = [...new Set([...(a.required ?? []), ...(b.required ?? [])])];
  const items = mergeIfBoth(itemsOf(a), itemsOf(b));
  if (items) merged.items = items;
  const values = mergeIfBoth(valuesOf(a), valuesOf(b));
  if (values) merged.additionalProperties = values;
  if (a.properties || b.properties) merged.properties = mergeProperties(a.properties, b.properties);
  return merged;
}

function mergeProperties(
  a: JSONSchema["properties"] = {},
  b: JSONSchema["properties"] = {},
): Record<string, JSONSchema> {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return Object.fromEntries(
    names.map((name) => [name, mergeIfBoth(memberOf(a, name), memberOf(b, name))!] as const),
  );
}

function mergeIfBoth(a: JSONSchema | undefined, b: JSONSchema | undefined): JSONSchema | undefined {
  return a && b ? { ...a, allOf: [...(a.allOf ?? []), b] } : (a ?? b);
}

function strictest(choose: (...numbers: number[]) => number, ...bounds: (number | undefined)[]): number {
  return choose(...bounds.filter((bound) => bound !== undefined));
}
