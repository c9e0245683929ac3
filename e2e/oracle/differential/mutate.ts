import * as fc from "fast-check";
import { resolve, type Schema, type Schemas } from "./schema.ts";
import { junk, valueOf } from "./values.ts";

type Tree = Record<string, unknown>;

/** A place in an object, whether something is there or could be. */
interface Place {
  readonly path: readonly string[];
  readonly schema: Schema | undefined;
}

/** An object that was changed in up to three places: junk, nothing, or something of the right type. */
export function mutated(object: object, schema: Schema, schemas: Schemas): fc.Arbitrary<object> {
  return fc.integer({ min: 1, max: 3 }).chain((times) => {
    let result = fc.constant(object);
    for (let time = 0; time < times; time++)
      result = result.chain((current) => changedOnce(current, schema, schemas));
    return result;
  });
}

function changedOnce(object: object, schema: Schema, schemas: Schemas): fc.Arbitrary<object> {
  const places = placesIn(object, schema, schemas).filter(({ path }) => !isIdentity(path));
  if (places.length === 0) return fc.constant(object);
  return fc
    .constantFrom(...places)
    .chain(({ path, schema: wanted }) =>
      fc
        .oneof(
          { weight: 1, arbitrary: junk },
          { weight: 1, arbitrary: fc.constant(undefined) },
          { weight: 3, arbitrary: wanted ? valueOf(wanted, schemas, path.at(-1)) : junk },
        )
        .map((value) => replaced(object, path, value)),
    );
}

/** Without its type and name an object says only little of its kind. */
function isIdentity(path: readonly string[]): boolean {
  return ["apiVersion", "kind", "metadata.name", "metadata.namespace"].includes(path.join("."));
}

function placesIn(
  value: unknown,
  wanted: Schema | undefined,
  schemas: Schemas,
  path: string[] = [],
): Place[] {
  if (typeof value !== "object" || value === null || path.length > 8) return [];
  const schema = wanted && resolve(wanted, schemas);
  const names = new Set([...Object.keys(value), ...Object.keys(schema?.properties ?? {})]);
  return [...names].flatMap((name) => {
    const child = schema?.properties?.[name] ?? schema?.items ?? schema?.additionalProperties;
    const at = [...path, name];
    return [{ path: at, schema: child }, ...placesIn((value as Tree)[name], child, schemas, at)];
  });
}

function replaced(object: object, path: readonly string[], value: unknown): object {
  const copy = structuredClone(object) as Tree;
  let parent = copy;
  for (const name of path.slice(0, -1)) parent = parent[name] as Tree;
  if (value === undefined) delete parent[path.at(-1)!];
  else parent[path.at(-1)!] = value;
  return copy;
}
