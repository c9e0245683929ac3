import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { optionsFor, readExamples, runExample, yamlOf } from "../testdata/example.ts";

const folder = join(import.meta.dirname, "testdata");
const pages = readdirSync(folder).filter((file) => file.endsWith(".md"));
const sources = pages.flatMap((page) =>
  readExamples(readFileSync(join(folder, page), "utf8")).flatMap(({ title, blocks }) =>
    blocks
      .filter(({ language }) => language === "ts")
      .map(({ code }) => [`${page}: ${title}`, page, code] as const),
  ),
);

it.each(sources)("the line ends of Windows change nothing: %s", async (_, page, code) => {
  const [unix, windows] = await Promise.all(
    [code, code.replaceAll("\n", "\r\n")].map((text) => runExample(text, optionsFor(page))),
  );
  expect(yamlOf(windows!.crd)).toBe(yamlOf(unix!.crd));
  expect(windows!.diagnostics).toEqual(unix!.diagnostics);
});
