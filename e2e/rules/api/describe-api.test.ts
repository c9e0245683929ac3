import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { describeApi } from "./describe-api.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "api-")));
  write("node_modules/other/index.d.ts", "export interface Other {}\n");
  write("node_modules/other/package.json", '{"name":"other","types":"index.d.ts"}');
  write("package.json", '{"type":"module"}');
});
afterEach(() => rmSync(root, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const describeFiles = (...files: string[]): string =>
  describeApi({
    folder: join(root, "dist"),
    entries: new Map(files.map((file) => [`./${file}`, join(root, `dist/${file}.d.ts`)])),
  });

test("lists what is exported by name, without comments and private members", () => {
  write(
    "dist/index.d.ts",
    `export { b } from "./inner.ts";
/** Explained. */
export declare class A {
  #secret;
  private hidden;
  /** Counts. */
  readonly count: number;
}
export type { Other } from "other";\n`,
  );
  write(
    "dist/inner.d.ts",
    "export declare const b: string, c: number;\nexport declare const unused: number;\n",
  );
  expect(describeFiles("index")).toBe(`## ./index

\`\`\`ts
export declare class A {
    readonly count: number;
}
export { Other } from "other";
export declare const b: string, c: number;
\`\`\`
`);
});

test("adds what is not exported, but part of what is", () => {
  write(
    "dist/index.d.ts",
    'import type { Inner } from "./inner.ts";\nexport declare function f(inner: Inner): void;\n',
  );
  write(
    "dist/inner.d.ts",
    "export interface Inner { deeper: Deeper }\ninterface Deeper { a: 1 }\ninterface Unused {}\n",
  );
  const [, after] = describeFiles("index").split("## Not exported, but part of the above");
  expect(after).toMatch(/^interface Deeper \{[\s\S]*^export interface Inner \{/mu);
  expect(after).not.toContain("Unused");
});

test("what another entry point exports is not repeated", () => {
  write(
    "dist/index.d.ts",
    'import type { Inner } from "./inner.ts";\nexport declare function f(inner: Inner): void;\n',
  );
  write("dist/inner.d.ts", "export interface Inner { a: 1 }\n");
  expect(describeFiles("index", "inner").match(/interface Inner/gu)).toHaveLength(1);
});

test.each([
  ["another name", 'export { K as Outer } from "./inner.ts";', "export { K as Outer };"],
  ["the default", 'import { K } from "./inner.ts";\nexport default K;', "export { K as default };"],
  ["only a type", 'export type { K } from "./inner.ts";', "export type { K };"],
])("says that a declaration is exported as %s", (_, text, line) => {
  write("dist/index.d.ts", `${text}\n`);
  write("dist/inner.d.ts", "export declare class K {\n}\n");
  expect(describeFiles("index")).toBe(
    `## ./index\n\n\`\`\`ts\nexport declare class K {\n}\n${line}\n\`\`\`\n`,
  );
});

test("says by which name something of another package is exported", () => {
  write("dist/index.d.ts", 'export type { Other as Theirs } from "other";\n');
  expect(describeFiles("index")).toContain('export { Other as Theirs } from "other";');
});

test("refuses a namespace, whose members it would leave out", () => {
  write("dist/index.d.ts", 'export * as inner from "./inner.ts";\n');
  write("dist/inner.d.ts", "export declare const a: number;\n");
  expect(() => describeFiles("index")).toThrow("inner: export * as inner is not described");
});
