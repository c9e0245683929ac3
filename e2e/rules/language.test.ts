import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { listRepositoryFiles } from "../book/check-book.ts";
import { explainLanguage } from "./explain-language.ts";
import { repository } from "../support/source-imports.ts";

/** Files that quote the phrases, or external texts. */
const quoting = ["e2e/rules/explain-language.ts", "e2e/rules/language.test.ts"];

/** Output of templates, and recorded answers: their texts come from elsewhere. */
const recorded = /^e2e\/(?:golden\/[^/]+\/|oracle\/real\/recordings\/|oracle\/[^/]+\/recorded\/)/u;

const files = listRepositoryFiles(repository)
  .filter((file) => /^(?:(?:src|templates|e2e|\.github)\/|README\.md$)/u.test(file))
  .filter((file) => /\.(?:ts|md|hbs|sh|ya?ml)$/u.test(file) || file.endsWith("NOTICE"))
  .filter((file) => !quoting.some((start) => file.startsWith(start)))
  .filter((file) => !recorded.test(file));

test("messages, comments and documents use Kubernetes' and TypeScript's words", () => {
  expect(files.length).toBeGreaterThan(500);
  const found = files.flatMap((file) => explainLanguage(file, readFileSync(join(repository, file), "utf8")));
  expect(found.join("\n")).toBe("");
});

describe("explaining a phrase", () => {
  test("names file, line, phrase and the word to write", () => {
    expect(explainLanguage("a.ts", "const a = 1;\n/** True unless said otherwise. */")).toEqual([
      'a.ts:2 says "unless said otherwise": write Default: X',
    ]);
  });

  test("finds it across the lines of a comment", () => {
    expect(explainLanguage("a.ts", "/**\n * True unless\n * said otherwise.\n */")).toHaveLength(1);
  });

  test("returns nothing for the words to use", () => {
    expect(explainLanguage("a.ts", "/** The CRD. Default: true. */ omit, overwrite, fix")).toEqual([]);
  });
});
