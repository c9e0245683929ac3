import { join } from "node:path";
import { expect, test } from "vitest";
import { everythingBelow } from "../../src/scaffold/tree.ts";
import { repository } from "../support/source-imports.ts";

// The MySQL operator is a lesson: it must not grow beyond what one reads in an afternoon.
const mostLines = 2797;

test("a MySQL project has few lines below src, tests included", () => {
  const project = everythingBelow(join(repository, "e2e/golden/maria-operator"));
  const lines = project.list("src").flatMap((path) =>
    // The license header is as long as its owner wants.
    (project.read(path) ?? "")
      .replace(/^\/\*\n \* SPDX.*\n \*\/\n/, "")
      .split("\n")
      .filter((line) => line.trim() !== ""),
  );
  expect(lines.length).toBeLessThanOrEqual(mostLines);
  expect(lines.length).toBeGreaterThan(mostLines / 2);
});
