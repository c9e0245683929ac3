import { describe, expect, test } from "vitest";
import { anchorsOf, explainLinks } from "./check-book.ts";

const files: Readonly<Record<string, string>> = {
  "src/runtime/README.md": "# Runtime\n\n## Time in tests\n\n```sh\n# no heading\n```\n",
  "src/a.ts": "",
};
const targets = {
  read: (path: string) => files[path],
  exists: (path: string) => path in files,
  anchorsOfPage: (address: string) => (address === "guides/time" ? new Set(["clocks"]) : undefined),
  bookAddress: "https://book.example.com/",
};
const explain = (text: string, path = "README.md") => explainLinks([{ path, text }], targets);

test("anchorsOf() makes them as GitHub does, and reads no headings in blocks", () => {
  expect([...anchorsOf(files["src/runtime/README.md"]!)]).toEqual(["runtime", "time-in-tests"]);
  expect([...anchorsOf("## `--flag`, and *more*\n")]).toEqual(["--flag-and-more"]);
});

describe("explainLinks()", () => {
  test.each([
    "[a](src/a.ts)",
    "[time](src/runtime/README.md#time-in-tests)",
    "https://book.example.com/guides/time#clocks.",
    "node_modules/@tsbuilder/runtime/README.md#time-in-tests",
    "[elsewhere](https://example.com/x)",
    "```md\n[shown](nowhere.md)\n```\n",
  ])("accepts %j", (text) => {
    expect(explain(text)).toEqual([]);
  });

  test.each([
    ["[a](src/b.ts)", "src/b.ts"],
    ["[time](src/runtime/README.md#no-heading)", "src/runtime/README.md#no-heading"],
    ["https://book.example.com/guides/space", "https://book.example.com/guides/space"],
    ["https://book.example.com/guides/time#space", "https://book.example.com/guides/time#space"],
    ["node_modules/@tsbuilder/runtime/README.md#space", "@tsbuilder/runtime/README.md#space"],
  ])("names the line of %j", (text, link) => {
    expect(explain(`one\n${text}\n`)).toEqual([`README.md:2 links to ${link}: it leads nowhere`]);
  });
});
