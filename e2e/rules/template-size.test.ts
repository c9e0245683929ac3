import { join } from "node:path";
import { expect, test } from "vitest";
import { everythingBelow } from "../../src/scaffold/tree.ts";
import { repository } from "../support/source-imports.ts";

// The MySQL operator is a lesson: it must not grow beyond what one reads in an afternoon. 45 lines of it replace the
// StatefulSets of an earlier version, whose pods waited for each other, tell people so, and test it; 15 say which
// objects are stored.
const mostLines = 3165;

test("a MySQL project has few lines below src, tests and scripts included", () => {
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
