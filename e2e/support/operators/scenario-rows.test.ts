import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

/** A scenario's ID is its row, with a letter added if the row has several scenarios. */
describe.each(["appservice"])("the rows of %s", (operator) => {
  const folder = join(import.meta.dirname, operator);
  const used = readdirSync(folder)
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) =>
      matches(readFileSync(join(folder, file), "utf8"), /\b(?:row|id): "([A-Z]\d\d)[a-z]?"/g),
    );
  const explained = matches(readFileSync(join(folder, "README.md"), "utf8"), /^\| ([A-Z]\d\d) \|/gm);

  test("are listed in the README beside them, each once, and no others", () => {
    expect(used.length).toBeGreaterThan(20);
    expect(explained.toSorted()).toEqual([...new Set(used)].toSorted());
  });
});

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map((match) => match[1]!);
}
