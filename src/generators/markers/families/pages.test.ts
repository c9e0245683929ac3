import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type CodeBlock, readExamples, runPageExample, yamlOf } from "../../conformance/example.ts";
import { FAMILIES } from "./index.ts";

const folder = import.meta.dirname;

describe("FAMILIES", () => {
  it("lists every file of the folder", () => {
    const files = readdirSync(folder).filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"));
    const expected = ["index", ...FAMILIES.map(({ name }) => name)];
    expect(files.map((file) => file.replace(".ts", "")).sort()).toEqual(expected.sort());
  });

  it.each(FAMILIES.map((family) => [family.name, family] as const))(
    "%s has a page that explains each of its markers",
    (name, family) => {
      const page = join(folder, `${name}.md`);
      expect(existsSync(page)).toBe(true);
      const text = readFileSync(page, "utf8");
      expect(text).toMatch(`# ${family.title}\n`);
      const headings = [...text.matchAll(/^## `\+(.+)`$/gmu)].map(([, heading]) => heading);
      expect(headings).toEqual(family.markers.map((marker) => marker.name));
    },
  );
});

interface PageExample {
  readonly title: string;
  readonly code: string;
  readonly expected: CodeBlock;
  readonly isRefused: boolean;
}

/** An example is a block of TypeScript, and behind it what becomes of it. */
function pageExamples(page: string): PageExample[] {
  return readExamples(readFileSync(join(folder, page), "utf8")).flatMap(({ title, blocks }) =>
    blocks.flatMap((block, i) => {
      const expected = blocks[i + 1];
      if (block.language !== "ts" || !expected) return [];
      const isRefused = block.info === "refused";
      const name = `${title.replaceAll("`", "")} ${isRefused ? "refuses" : "as shown"} #${i / 2 + 1}`;
      return [{ title: name, code: block.code, expected, isRefused }];
    }),
  );
}

describe.each(FAMILIES.map(({ name }) => `${name}.md`))("the page %s", (page) => {
  const examples = pageExamples(page);
  it.each(examples.filter(({ isRefused }) => !isRefused).map((one) => [one.title, one] as const))(
    "%s",
    async (_, { code, expected }) => {
      const { result, diagnostics } = await runPageExample(code, expected.info);
      expect(diagnostics).toEqual([]);
      expect(result === undefined ? null : parse(yamlOf(result), { version: "1.1" })).toEqual(
        parse(expected.code, { version: "1.1" }),
      );
    },
  );

  const refused = examples.filter(({ isRefused }) => isRefused);
  it.each(refused.map((one) => [one.title, one] as const))("%s", async (_, { code, expected }) => {
    const { diagnostics } = await runPageExample(
      code,
      page === "rbac.md" ? "role" : page === "webhooks.md" ? "webhook" : "",
    );
    expect(diagnostics.map(({ message }) => `${message}\n`).join("")).toBe(expected.code);
    expect(diagnostics.every(({ at, frame }) => at !== undefined && frame !== undefined)).toBe(true);
  });
});
