import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { difference, gap } from "./object-yaml.ts";

const objectOf = (data: Readonly<Record<string, unknown>>, resourceVersion = "1"): KubernetesObject => {
  const managedFields = [{ manager: `m${resourceVersion}` }];
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a", resourceVersion, managedFields },
    data,
  } as KubernetesObject;
};
const shown = (...states: Parameters<typeof difference>): string[] =>
  difference(...states).map(({ sign, text }) => `${sign}${text}`);
const names = [
  "aa",
  "bb",
  "cc",
  "dd",
  "ee",
  "ff",
  "gg",
  "hh",
  "ii",
  "jj",
  "kk",
  "ll",
  "mm",
  "nn",
  "oo",
  "pp",
];
const fields = (count: number) => Object.fromEntries(names.slice(0, count).map((name, i) => [name, i]));

test("a change stands between three lines that did not change, and a gap where more are left out", () => {
  const before = objectOf(fields(16));
  expect(shown(before, objectOf({ ...fields(16), ff: "x", ll: "z" }, "2")).join("\n")).toBe(
    [
      " …\n   cc: 2\n   dd: 3\n   ee: 4\n-  ff: 5\n+  ff: x\n   gg: 6\n   hh: 7\n   ii: 8",
      "   jj: 9\n   kk: 10\n-  ll: 11\n+  ll: z\n   mm: 12\n   nn: 13\n   oo: 14\n …",
    ].join("\n"),
  );
  expect(shown(before, objectOf({ ...fields(16), aa: "x", mm: "z" })).join("\n")).toContain(
    "-  aa: 0\n+  aa: x\n   bb: 1\n   cc: 2\n   dd: 3\n …\n   jj: 9\n",
  );
});

test("an object that is made or goes changes in all lines, without what each write changes", () => {
  const lines = ["apiVersion: v1", "data:", "  aa: 0", "kind: ConfigMap", "metadata:", "  name: a"];
  const object = objectOf(fields(1));
  expect(shown(undefined, object)).toEqual(lines.map((line) => `+${line}`));
  expect(shown(object, undefined)).toEqual(lines.map((line) => `-${line}`));
  expect(shown(object, objectOf(fields(1), "2"))).toEqual([]);
});

test("a changed line of a text of several lines is shown by itself", () => {
  const [before, after] = ["[mysqld]\nport=1\nuser=a\n", "[mysqld]\nport=2\nuser=a\n"];
  const changed = difference(objectOf({ conf: before }), objectOf({ conf: after })).filter(
    ({ sign }) => sign !== " ",
  );
  expect(changed).toEqual([
    { sign: "-", text: "    port=1" },
    { sign: "+", text: "    port=2" },
  ]);
});

test("without its gaps, each stretch stands in both states, and all that differs is shown", () => {
  const data = fc.dictionary(fc.constantFrom(...names), fc.constantFrom(1, 2), { minKeys: 8 });
  fc.assert(
    fc.property(data, data, (before, after) => {
      const lines = difference(objectOf(before), objectOf(after));
      const of = (sign: string): string =>
        lines.flatMap((line) => (line.sign === sign ? [line.text.trim()] : [])).join();
      const only = (one: Record<string, number>, other: Record<string, number>): string =>
        Object.keys(one)
          .filter((key) => one[key] !== other[key])
          .sort()
          .map((key) => `${key}: ${one[key]}`)
          .join();
      expect([of("-"), of("+")]).toEqual([only(before, after), only(after, before)]);
      expect(lines.filter((line, i) => line === gap && lines[i + 1] === gap)).toEqual([]);
    }),
  );
});
