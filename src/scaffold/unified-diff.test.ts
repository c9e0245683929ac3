import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { formatUnifiedDiff } from "./tree.ts";

test("formatUnifiedDiff() shows a change with context lines", () => {
  const before = "1\n2\n3\n4\n5\n6\n7\n8\n";
  const diff = formatUnifiedDiff({
    path: "x",
    action: "update",
    before,
    content: before.replace("5", "five"),
    ownership: "yours",
  });
  expect(diff).toBe("--- a/x\n+++ b/x\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
});

test("formatUnifiedDiff() returns what git can apply", () => {
  const folder = mkdtempSync(join(tmpdir(), "tsbuilder-diff-"));
  const line = fc.constantFrom("a", "b", "c", "d");
  const text = fc.array(line, { minLength: 1, maxLength: 20 }).map((lines) => `${lines.join("\n")}\n`);
  try {
    fc.assert(
      fc.property(text, text, (before, content) => {
        if (before === content) return;
        writeFileSync(join(folder, "x"), before);
        const diff = formatUnifiedDiff({ path: "x", action: "update", before, content, ownership: "yours" });
        execFileSync("git", ["apply", "--unidiff-zero"], { cwd: folder, input: diff });
        expect(readFileSync(join(folder, "x"), "utf8")).toBe(content);
      }),
      { numRuns: 20 },
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
