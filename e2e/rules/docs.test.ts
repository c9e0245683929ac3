import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { toolNames } from "../lab/tools.ts";
import { explainPaths, explainScripts, explainTools, listPaths } from "./explain-documents.ts";
import { repository } from "../support/source-imports.ts";

const read = (path: string) => readFileSync(join(repository, path), "utf8");
const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };

/** The documents for those who work on tsbuilder. The book and templates name the files of a user's project. */
const documents = [
  "README.md",
  ".github/CONTRIBUTING.md",
  ...["src", "e2e"].flatMap((folder) =>
    readdirSync(join(repository, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => /(?:^|\/)(?:README|CHECKLIST)\.md$|^decisions\//u.test(path))
      .filter((path) => !/node_modules|^golden\//u.test(path))
      .map((path) => `${folder}/${path}`),
  ),
];

test("documents are found, and paths in them", () => {
  expect(documents.length).toBeGreaterThan(30);
  expect(documents.filter((path) => listPaths(read(path)).length > 0).length).toBeGreaterThan(20);
});

describe.each(documents)("%s", (document) => {
  const text = read(document);

  test("names existing paths", () => {
    expect(explainPaths(document, text, (path) => existsSync(join(repository, path))).join("\n")).toBe("");
  });

  test("names existing npm scripts", () => {
    expect(explainScripts(document, text, Object.keys(scripts)).join("\n")).toBe("");
    expect(explainTools(document, text, toolNames).join("\n")).toBe("");
  });
});

describe("explaining a document", () => {
  test("names the line and the missing path", () => {
    const text = "See `src/a.ts`,\nnot `src/b.ts`, `src/*.ts` or `src/<kind>.ts`.";
    expect(explainPaths("README.md", text, (path) => path === "src/a.ts")).toEqual([
      "README.md:2 names src/b.ts, which is not there: write where it is now (git log --follow -- src/b.ts), or take it out",
    ]);
  });

  test("checks the paths in commands, too", () => {
    expect(
      listPaths("`npm test -- src/a.test.ts -t b`\n`node --import tsx e2e/b.ts FILE`, `cp src/c.ts d`"),
    ).toEqual(["src/a.test.ts", "e2e/b.ts"]);
  });

  test("names the line and the missing script", () => {
    const text = "Type npm run build\nor `npm run --silent buidl`.";
    expect(explainScripts("README.md", text, ["build", "types"])).toEqual([
      'README.md:2 says npm run buidl, which "scripts" in package.json does not have: it has build, types',
    ]);
    expect(explainTools("README.md", "npm run lab -- bench dev, `npm run lab -- bnech`", ["bench"])).toEqual([
      "README.md:1 says npm run lab -- bnech: npm run lab lists what there is",
    ]);
  });
});
