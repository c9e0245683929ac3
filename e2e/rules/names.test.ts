import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { explainCopies } from "../support/explain-copies.ts";
import {
  explainConstantNames,
  explainDuplicates,
  explainErrorNames,
  explainKindTypes,
  type SharedWord,
} from "./explain-names.ts";
import { listSources, repository } from "../support/source-imports.ts";

/** Each of these words is declared once, and imported everywhere else. */
const words: Readonly<Record<string, SharedWord>> = {
  isObject: {
    home: "src/apimachinery/json",
    alike: /typeof \w+ === "object" && \w+ !== null && !Array\.isArray\(/,
  },
  memberOf: { home: "src/apimachinery/json" },
  setMember: { home: "src/apimachinery/json" },
  isEqual: { home: "src/apimachinery/json" },
  copyJSON: { home: "src/apimachinery/json" },
  compareText: { home: "src/apimachinery/text", alike: /return (\w+) < (\w+) \? -1 : \1 > \2 \? 1 : 0;/ },
  compareVersions: { home: "src/apimachinery/naming" },
  JSONObject: {
    home: "src/apimachinery/json",
    alike: /^type Json\w* = (?:Readonly<)?Record<string, unknown>/im,
  },
  JSONValue: { home: "src/apimachinery/json" },
  pascalCase: { home: "src/apimachinery/text" },
  joinPath: { home: "src/apimachinery/errors" },
  apiVersionOf: { home: "src/apimachinery/meta" },
  formatTime: { home: "src/apimachinery/time" },
};

/** Functions that look alike, each with the reason why they are two. */
const alike: Readonly<Record<string, string>> = {
  "#finish = #finish": "two parsers join the pieces that each of them keeps",
  "Outcome = VerdictWord": "a word with a sign for each of two enums, with signs and styles of their own",
  "describes = isWithin": "simulation and the CLI share apimachinery only, which does not grow for one line",
  "module = find": "two classes look into maps of their own",
  "load = #compiledOf": "two classes look into maps of their own",
  "validateUpdate = validateUpdate": "the strategies of two kinds call the checks of their own kind",
};

/** The names in scaffolded projects are not ours. */
const foreign = /^e2e\/golden\/[^/]+\//;

const sources = [...listSources("src"), ...listSources("e2e")]
  .filter((file) => !foreign.test(file))
  .map((file) => ({ file, text: readFileSync(join(repository, file), "utf8") }));

/** The names of all types in `src/apimachinery/k8s`. */
const generated = new Set(
  listSources("src/apimachinery/k8s").flatMap((file) =>
    [...readFileSync(join(repository, file), "utf8").matchAll(/^export interface (\w+)/gm)].map(
      ([, name]) => name!,
    ),
  ),
);

const productionSources = sources.filter(
  ({ file }) => file.startsWith("src/") && !/\.test(?:-d)?\.tsx?$|\/testdata\/|\.d\.ts$|\/k8s\//.test(file),
);

const clusterSources = sources.filter(
  ({ file }) => file.startsWith("src/cluster/") && !file.endsWith(".test.ts"),
);

test.each([
  ["errors end in Error", () => explainErrorNames(sources)],
  ["constants are in camel case", () => explainConstantNames(sources)],
  ["shared words are declared once", () => explainDuplicates(sources, words)],
  ["no function stands twice", () => explainCopies(productionSources, alike)],
  ["types of built-in kinds are the generated ones", () => explainKindTypes(clusterSources, generated)],
])("%s", (_, explain) => {
  expect(explain().join("\n")).toBe("");
});

describe("explaining a name", () => {
  const planted = (text: string) => [{ file: "src/ship/x.ts", text }];

  test("asks for the suffix Error", () => {
    expect(explainErrorNames(planted("export class Refused extends Error {}"))).toEqual([
      "src/ship/x.ts declares Refused, an error: call it RefusedError",
    ]);
    expect(
      explainErrorNames(planted("class RefusedError extends TypeError {}\nclass A extends B {}")),
    ).toEqual([]);
  });

  test("asks for camelCase in constants", () => {
    expect(explainConstantNames(planted("export const MAX_SIZE = 1;"))[0]).toContain("call it maxSize,");
    expect(explainConstantNames(planted("const [first, MAX_SIZE] = pair;"))[0]).toContain("call it maxSize,");
    expect(explainConstantNames(planted("const maxSize = 1;\nconst Pod = defineKind();"))).toEqual([]);
  });

  test("asks for the generated type of a built-in kind", () => {
    expect(generated.size).toBeGreaterThan(400);
    expect(explainKindTypes(planted("interface PodSpec {}\ninterface PodNeeds {}"), generated)).toEqual([
      "src/ship/x.ts declares its own PodSpec: import the type of @tsbuilder/apimachinery/k8s, " +
        "or give another form another name and say why it differs",
    ]);
  });

  test("names the folder of a shared word, whatever the form of its declaration", () => {
    expect(explainDuplicates(planted("export function isObject(a) {}"), words)).toEqual([
      "src/ship/x.ts declares its own isObject: import the one of @tsbuilder/apimachinery/json",
    ]);
    const condition = ['typeof x === "object"', "x !== null", "!Array.isArray(x)"].join(" && ");
    const disguised = `const isMap = (x) => ${condition};`;
    expect(explainDuplicates(planted(disguised), words)[0]).toContain("import the one of");
    expect(explainDuplicates(planted("const a = isObject(b);"), words)).toEqual([]);
    expect(explainDuplicates(planted("type Json = Record<string, unknown>;"), words)[0]).toContain(
      "its own JSONObject",
    );
  });

  test("finds a function again whose names and types differ", () => {
    const body = (list: string, item: string) =>
      `{ const ${list} = new Map(); for (const ${item} of all) ${list}.set(${item}.key, (${list}.get(${item}.key) ?? 0) + 1); return ${list}; }`;
    const first = { file: "src/a.ts", text: `function count(all: string[]) ${body("found", "one")}` };
    const second = { file: "src/b.ts", text: `const tally = (all: Item[]) => ${body("sums", "each")};` };
    const other = { file: "src/c.ts", text: first.text.replace("+ 1", "+ 2") };
    expect(explainCopies([first, second, other])).toEqual([
      "src/b.ts:1 tally() has the shape of count() in src/a.ts:1: " +
        "call one function from both places, or say in names.test.ts why they only look alike",
    ]);
    expect(explainCopies([first, second], { "count = tally": "two maps" })).toEqual([]);
    expect(explainCopies([{ file: "src/a.ts", text: "function f() { return 1; }" }, first])).toEqual([]);
  });
});
