import { describe, expect, test } from "vitest";
import { countCommands, explainPages } from "./check-book.ts";
import { readPage } from "../../src/book/build/pages.ts";

const page = (path: string, text: string, follow?: string) =>
  readPage(
    path,
    `---\ntitle: A\norder: 1\n${follow ? `follow: ${follow}\n` : ""}---\n\n# A\n\nText.\n\n${text}`,
  );

const block = (info: string, content = "ls\n") => `\`\`\`${info}\n${content}\`\`\`\n`;

describe("explainPages()", () => {
  test.each([
    ["", "a.md:10: a block has no language"],
    ["ts src/a.ts", 'a.md:10: a block begins with "ts src/a.ts"'],
    ["sh", "a.md:10: no test runs this command"],
    ["bash", 'a.md:10: no test runs "bash": write "sh"'],
    ["shell", 'a.md:10: no test runs "shell": write "sh"'],
  ])("complains of a block of %j", (info, complaint) => {
    expect(explainPages([page("a.md", block(info))])).toEqual([expect.stringContaining(complaint)]);
  });

  test("complains of a block in a list, which would be skipped", () => {
    const text = "- Type\n\n  ```sh\n  ls\n  ```\n";
    expect(explainPages([page("a.md", text)])).toEqual([
      expect.stringContaining("a.md:12: a block is indented"),
    ]);
  });

  test.each([
    ["without an end", "```sh\nls\n"],
    ["in a quotation", "> ```sh\n> ls\n> ```\n"],
    ["in a list, after a tab", "- Type\n\n\t```sh\n\tls\n\t```\n"],
    ["between tildes", "~~~sh\nls\n~~~\n"],
  ])("complains of a block %s, which would be skipped, also after another block", (_, text) => {
    expect(explainPages([page("a.md", block("ts") + text, "empty")])).toEqual([
      expect.stringMatching(/^a\.md:1[46]: a block has no end, or is quoted or indented/),
    ]);
  });

  test.each(["## Why?\n", "```ts\n```\n", "| a |\n| --- |\n", "- a\n", "1. a\n", ""])(
    "complains of a page that begins with %j",
    (text) => {
      const beginsWith = readPage("a.md", `---\ntitle: A\norder: 1\n---\n\n# A\n\n${text}`);
      expect(explainPages([beginsWith])).toEqual([
        expect.stringContaining("begin the page with a paragraph"),
      ]);
    },
  );

  test("accepts commands that a test runs, and scripts that are files", () => {
    const pages = [
      page("a.md", block("sh"), "empty"),
      page("b.md", block("console")),
      page("c.md", block("sh [init.sh]") + block("bash [init.sh]") + block("text", "> ```sh\n")),
    ];
    expect(explainPages(pages)).toEqual([]);
  });
});

test("countCommands() tells commands that run from those that are only read", () => {
  const text = block("sh", "ls\npwd\n") + block("console", "$ kubectl get pods\nNAME\n") + block("sh [a.sh]");
  expect(countCommands([page("a.md", text, "empty")])).toEqual(["a.md: 2 commands run, 1 only read"]);
});
