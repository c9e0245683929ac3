import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listRepositoryFiles } from "../book/check-book.ts";
import { repository } from "../support/source-imports.ts";

const files = listRepositoryFiles(repository).filter((file) =>
  /^(?:src|e2e\/(?!golden\/)).*\.test\.ts$/u.test(file),
);

/** The third argument of a test, in the places where the formatter puts it, and the limit of a polled expectation. */
const ownLimit =
  /^ *\}, \d{2,3}_000\);$|^ {2}\d{2,3}_000,\n\);$|expect\.poll\(.*, \{ timeout: \d+_000 \}\)/gmu;

const limitsOf = (text: string): string[] => [...text.matchAll(ownLimit)].map(([limit]) => limit.trim());

test("no test has a time limit of its own: a busy machine reaches it, and .config/limits.ts has one for what hangs", () => {
  expect(files.length).toBeGreaterThan(300);
  const found = files.flatMap((file) =>
    limitsOf(readFileSync(join(repository, file), "utf8")).map((limit) => `${file}: ${limit}`),
  );
  expect(found).toEqual([]);
});

test("such limits are found", () => {
  expect(limitsOf('test("a", () => {\n}, 60_000);\n')).toEqual(["}, 60_000);"]);
  expect(limitsOf('test(\n  "a",\n  () => {},\n  60_000,\n);\n')).toEqual(["60_000,\n);"]);
  // This file is searched, too.
  const limit = "20_000";
  expect(limitsOf(`await expect.poll(() => a, { timeout: ${limit} }).toBe(1);`)).toHaveLength(1);
});
