/** Reads the value at a path such as `.status.phase`; `["a.b/c"]` is a key with dots, `[0]` the first item of a list. */
export function readPath(object: unknown, path: string): unknown {
  const steps = [...path.matchAll(/\.([\w-]+)|\["([^"]+)"\]|\[(\d+)\]/g)].map(
    ([, plain, quoted, index]) => plain ?? quoted ?? index!,
  );
  return steps.reduce<unknown>((value, step) => {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return undefined;
    return (value as Record<string, unknown>)[step];
  }, object);
}
