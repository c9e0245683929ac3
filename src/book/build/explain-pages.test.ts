import { describe, expect, test } from "vitest";
import { countCommands, explainPages } from "./explain-pages.ts";
import { readPage } from "./pages.ts";
import { routesOf } from "./routes.ts";

const page = (path: string, text: string, follow?: string) =>
  readPage(path, `---\ntitle: A\norder: 1\n${follow ? `follow: ${follow}\n` : ""}---\n\n# A\n\n${text}`);

const block = (info: string, content = "ls\n") => `\`\`\`${info}\n${content}\`\`\`\n`;

describe("explainPages()", () => {
  test.each([
    ["", "a.md:8: a block has no language"],
    ["ts src/a.ts", 'a.md:8: a block begins with "ts src/a.ts"'],
    ["sh", "a.md:8: no test runs this command"],
  ])("complains of a block of %j", (info, complaint) => {
    expect(explainPages([page("a.md", block(info))])).toEqual([expect.stringContaining(complaint)]);
  });

  test("complains of a block in a list, which would be skipped", () => {
    const text = "- Type\n\n  ```sh\n  ls\n  ```\n";
    expect(explainPages([page("a.md", text)])).toEqual([
      expect.stringContaining("a.md:10: a block is indented"),
    ]);
  });

  test("accepts commands that a test runs", () => {
    expect(explainPages([page("a.md", block("sh"), "empty"), page("b.md", block("console"))])).toEqual([]);
  });
});

test("countCommands() tells commands that run from those that are only read", () => {
  const text = block("sh", "ls\npwd\n") + block("console", "$ kubectl get pods\nNAME\n");
  expect(countCommands([page("a.md", text, "empty")])).toEqual(["a.md: 2 commands run, 1 only read"]);
});

test("routesOf() has one for the pages of a section that begin alike, and one for each page without a section", () => {
  const pages = [
    page("quick-start.md", "", "empty"),
    page("guides/a.md", "", "empty"),
    page("guides/b.md", "", "app-operator"),
    page("guides/c.md", "", "empty"),
    page("faq.md", ""),
  ];
  expect(
    routesOf(pages).map(({ name, follow, pages: own }) => [name, follow, own.map(({ path }) => path)]),
  ).toEqual([
    ["quick-start", "empty", ["quick-start.md"]],
    ["guides", "empty", ["guides/a.md", "guides/c.md"]],
    ["guides", "app-operator", ["guides/b.md"]],
  ]);
});
