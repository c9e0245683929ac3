import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { type CodeBlock, readExamples, runPageExample, yamlOf } from "./example.ts";

/**
 * Makes a test of each example on a Markdown page. The YAML that is generated from a `ts` block follows it; the messages
 * follow a block that is `refused`. `kind` is the part of a CRD that the refused blocks are about.
 */
export function testPage(path: string, kind = ""): void {
  const examples = pageExamples(path).map((example) => [example.title, example] as const);
  it.each(examples)("%s", async (_, { code, expected, isRefused }) => {
    const { result, diagnostics } = await runPageExample(code, isRefused ? kind : expected.info);
    const messages = diagnostics.map(({ message }) => `${message}\n`).join("");
    expect(messages).toBe(isRefused ? expected.code : "");
    expect(diagnostics.every(({ at, frame }) => at !== undefined && frame !== undefined)).toBe(true);
    const written = isRefused || result === undefined ? null : read(yamlOf(result));
    expect(written).toEqual(isRefused ? null : read(expected.code));
  });
}

interface PageExample {
  readonly title: string;
  readonly code: string;
  readonly expected: CodeBlock;
  readonly isRefused: boolean;
}

function pageExamples(path: string): PageExample[] {
  return readExamples(readFileSync(path, "utf8")).flatMap(({ title, blocks }) =>
    blocks.flatMap((block, i) => {
      const expected = blocks[i + 1];
      if (block.language !== "ts" || !expected) return [];
      const isRefused = block.info === "refused";
      const name = `${title.replaceAll("`", "")} ${isRefused ? "refuses" : "gives"} what example ${i / 2 + 1} shows`;
      return [{ title: name, code: block.code, expected, isRefused }];
    }),
  );
}

function read(yaml: string): unknown {
  return parse(yaml, { version: "1.1" }) as unknown;
}
