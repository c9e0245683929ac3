import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { memoryTree } from "../../scaffold/tree.ts";
import { optionsFor, readExamples, runExample } from "../testdata/example.ts";
import { generateCrds } from "../crd/generate-crds.ts";
import { emitFile } from "../model/emit.ts";
import { ProjectSources } from "../sources/project-sources.ts";
import { readCrds, type ThirdPartyCrd } from "./read-crds.ts";
import { typesFromCrd } from "./types-from-crd.ts";

const folder = join(import.meta.dirname, "../conformance/testdata");
const isRoundTrip = (page: string): boolean => !["roles.md", "webhooks.md"].includes(page);
const examples = readdirSync(folder)
  .filter(isRoundTrip)
  .flatMap((page) =>
    readExamples(readFileSync(join(folder, page), "utf8")).map(({ title, blocks }) => ({
      page,
      title,
      code: blocks[0]!.code,
    })),
  );

/** CRDs of controller-gen that an API server rejects; types can be written from them, too. */
const refusedByServers = new Set([
  "a rule with a message expression",
  "UniqueItems",
  "UniqueItems for lists in a list",
  "Schemaless has no type",
]);

/** Generates CRDs from files of types. */
async function generate(
  page: string,
  files: Readonly<Record<string, string>>,
): Promise<{ text: string; messages: string[] }> {
  const sources = await ProjectSources.load(memoryTree(files), optionsFor(page));
  const crds = generateCrds(sources);
  return {
    text: emitFile(
      crds.map(({ crd }) => crd),
      {},
    ),
    messages: sources.log
      .sorted()
      .filter(({ severity }) => severity === "error")
      .map(({ message }) => message),
  };
}

describe("typesFromCrd() returns types that generate the same CRD:", () => {
  it.each(examples.map((example) => [example.title, example] as const))(
    "%s",
    async (_, { page, title, code }) => {
      const { crd } = await runExample(code, optionsFor(page));
      const original = emitFile([crd!], {});
      const crds = refusedByServers.has(title)
        ? [parse(original, { version: "1.1", intAsBigInt: false }) as ThirdPartyCrd]
        : await readCrds("crd.yaml", original);
      const files = crds.flatMap(typesFromCrd);
      const again = await generate(
        page,
        Object.fromEntries(files.map(({ path, content }) => [`api/${path}`, content])),
      );
      expect(again.messages).toEqual([]);
      const isLost = files.some(({ lost }) => lost.length > 0);
      expect(isLost || again.text === original ? "" : again.text).toBe(
        isLost || again.text === original ? "" : original,
      );
    },
  );
});
