import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "./source-imports.ts";

const documents = ["README.md", "src/README.md"];

test.each(documents)("every path that %s names is there", (document) => {
  const text = readFileSync(join(repository, document), "utf8");
  const paths = [...text.matchAll(/`((?:src|e2e|bin|templates|\.ci|\.config)(?:\/[\w.*{},<>-]+)*)`/g)]
    .map((match) => match[1]!)
    .filter((path) => !/[*{<]/.test(path));
  expect(paths.length).toBeGreaterThan(0);
  expect(paths.filter((path) => !existsSync(join(repository, path)))).toEqual([]);
});

test.each(documents)("every npm script that %s names is there", (document) => {
  const text = readFileSync(join(repository, document), "utf8");
  const { scripts } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const named = [...text.matchAll(/npm run ([\w:-]+)/g)].map((match) => match[1]!);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});
