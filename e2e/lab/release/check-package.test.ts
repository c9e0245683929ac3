import { describe, expect, test } from "vitest";
import { checkPackage } from "./check-package.ts";
import { readTarball, writeTarball } from "../../../src/packaging/tarball.ts";

const manifest = {
  name: "library",
  version: "1.0.0",
  description: "A library",
  license: "Apache-2.0",
  type: "module",
  engines: { node: ">=20" },
  bin: { library: "bin/library.js" },
  exports: { "./*": { types: "./dist/*.d.ts", default: "./dist/*.js" } },
  dependencies: { yaml: "2.9.1" },
};
const files: Readonly<Record<string, string>> = {
  LICENSE: "",
  "README.md": "",
  "a.ts": "",
  "bin/library.js": "#!/usr/bin/env node\n",
  "dist/a.js":
    'import { parse } from "yaml";\nimport { join } from "node:path";\nimport { b } from "./b.js";\n',
  "dist/a.d.ts": 'export { b } from "./b.ts";\n',
  "dist/a.d.ts.map": '{"sources":["../a.ts"]}',
  "dist/b.js": 'export * from "library/a";\n',
  "dist/b.d.ts": "",
  "b.ts": "",
  "dist/b.d.ts.map": '{"sources":["../b.ts"]}',
};

const pack = (fields: object = {}, changed: Readonly<Record<string, string | undefined>> = {}) => {
  const all = { ...files, ...changed, "package.json": JSON.stringify({ ...manifest, ...fields }) };
  const packed = Object.entries(all).flatMap(([path, text]) =>
    text === undefined
      ? []
      : [{ path, content: Buffer.from(text), executable: path.startsWith("bin/") && text !== "" }],
  );
  return readTarball(writeTarball(packed));
};

test("a complete package is fit for a registry, whatever the texts in its code import", () => {
  expect(checkPackage(pack())).toEqual([]);
  const text = 'const text = `\nimport { x } from "left-pad";\n`;';
  expect(checkPackage(pack({}, { "dist/a.js": text }))).toEqual([]);
});

/** Types of a package that a project may lack, in a file that is exported, or not. */
const optional = (path: string, exported: string) =>
  checkPackage(
    pack(
      {
        exports: { ".": { types: exported, default: exported.replace(".d.ts", ".js") } },
        peerDependencies: { ws: "1" },
        peerDependenciesMeta: { ws: { optional: true } },
      },
      { [path]: 'import type { WebSocket } from "ws";' },
    ),
  );

test("types of an optional package are fit for declarations that nobody reads", () => {
  expect(optional("dist/a.d.ts", "./dist/b.d.ts")).toEqual([]);
  const problem = "needs types of an optional package, which a project may lack";
  expect(optional("dist/a.d.ts", "./dist/a.d.ts")).toEqual([`library: dist/a.d.ts ${problem}`]);
  expect(optional("dist/b.d.ts", "./dist/a.d.ts")).toEqual([`library: dist/b.d.ts ${problem}`]);
});

describe("checkPackage() finds", () => {
  test.each([
    ["a field of the repository", { scripts: {} }, 'has "scripts"'],
    ["an absent field", { license: undefined }, 'has no "license"'],
    [
      "a dependency on a file",
      { dependencies: { yaml: "file:./yaml.tgz" } },
      'depends on yaml by "file:./yaml.tgz", which is not a range',
    ],
    [
      "types behind the code",
      { exports: { ".": { default: "./dist/a.js", types: "./dist/a.d.ts" } } },
      'exports "." by default, types',
    ],
    [
      "an export without its file",
      { exports: { ".": { types: "./dist/a.d.ts", default: "./dist/c.js" } } },
      'exports "." as ./dist/c.js, which is missing',
    ],
    [
      "types of other modules",
      { exports: { "./*": { types: "./dist/*.d.ts", default: "./*.js" } } },
      'exports "./*" with types of other modules',
    ],
    ["an undeclared dependency", { dependencies: {} }, 'dist/a.js imports "yaml", which npm won\'t install'],
  ])("%s", (_, fields, problem) => {
    expect(checkPackage(pack(fields))).toEqual([`library: ${problem}`]);
  });

  test.each([
    ["LICENSE", undefined, "LICENSE is missing"],
    ["a.ts", undefined, "dist/a.d.ts.map names ../a.ts, which is missing"],
    ["dist/a.js", 'await import("left-pad");', 'dist/a.js imports "left-pad", which npm won\'t install'],
    ["dist/a.js", 'import "left-pad";', 'dist/a.js imports "left-pad", which npm won\'t install'],
    [
      "dist/a.d.ts",
      'import type { WebSocket } from "ws";',
      'dist/a.d.ts needs types of "ws", which it lacks',
    ],
    ["dist/b.d.ts.map", undefined, "dist/b.d.ts has no map to its source"],
    ["dist/b.d.ts", undefined, 'dist/a.d.ts imports "./b.ts", which npm won\'t install'],
    ["bin/library.js", "", "the program bin/library.js can't be executed"],
    ["bin/library.js", undefined, "the program bin/library.js is missing"],
    ["dist/a.test.js", "", "dist/a.test.js is of no use to others"],
    ["dist/cli/main.cjs", "", "dist/cli/third-party-licenses.txt is missing"],
    [
      "dist/cli/main.cjs",
      'require("left-pad");',
      "dist/cli/third-party-licenses.txt is missing",
      'dist/cli/main.cjs imports "left-pad", which npm won\'t install',
    ],
  ])("what is wrong with %s as %j", (path, text, ...problems) => {
    const dependencies = { ...manifest.dependencies, ws: "8.23.0" };
    expect(checkPackage(pack({ dependencies }, { [path]: text })).toSorted()).toEqual(
      problems.map((problem) => `library: ${problem}`).toSorted(),
    );
  });
});
