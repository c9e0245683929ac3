import * as fc from "fast-check";
import { type BundleFiles, rightBundle } from "./right-bundle.ts";

const right = rightBundle();
/** The files of a right bundle that are YAML. */
export const damagedFiles = Object.keys(right).filter((file) => typeof right[file] === "object");

/** Everything in a value that can be damaged: each node but the root, by its steps. */
function nodesOf(value: unknown, steps: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => [
    [...steps, key],
    ...nodesOf(child, [...steps, key]),
  ]);
}

const nodes = damagedFiles.flatMap((file) => nodesOf(right[file]).map((steps) => ({ file, steps })));

const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    -1,
    1e300,
    "",
    " ",
    "0",
    "*",
    "__proto__",
    "a\nb",
    [],
    {},
    [null],
    [[]],
    [{}],
  ),
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** One node of one file that is deleted, replaced, renamed or repeated. */
export const randomDamage = fc.record({
  node: fc.constantFrom(...nodes),
  act: fc.constantFrom("delete", "replace", "rename", "repeat"),
  value: odd,
  name: fc.constantFrom("__proto__", "constructor", "a.b", "", "0", "name"),
});

export type RandomDamage = typeof randomDamage extends fc.Arbitrary<infer T> ? T : never;

export function applyDamage(bundle: BundleFiles, { node, act, value, name }: RandomDamage): void {
  let target = bundle[node.file] as Record<string, unknown>;
  for (const step of node.steps.slice(0, -1)) {
    const next = target[step];
    // An earlier damage may have removed it.
    if (typeof next !== "object" || next === null) return;
    target = next as Record<string, unknown>;
  }
  const key = node.steps.at(-1)!;
  const former = target[key];
  if (act === "delete" || act === "rename") {
    if (Array.isArray(target)) target.splice(Number(key), 1);
    else delete target[key];
  }
  if (act === "replace") target[key] = value;
  if (act === "rename" && !Array.isArray(target)) {
    Object.defineProperty(target, name, {
      value: former,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  if (act === "repeat" && Array.isArray(target)) target.push(former);
}
