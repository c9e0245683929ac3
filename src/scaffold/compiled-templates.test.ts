import { Script } from "node:vm";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { repository } from "../../e2e/support/source-imports.ts";
import { compiledTemplates, listTemplates, precompiledTemplates } from "./compiled-templates.ts";

test("templates that are compiled for the bundle give what they give when they are compiled on the spot", async () => {
  const { outputFiles } = await build({
    stdin: { contents: precompiledTemplates(), resolveDir: repository },
    bundle: true,
    write: false,
    format: "iife",
    globalName: "bundled",
    platform: "node",
  });
  const bundled = new Script(`${outputFiles[0]!.text}; bundled`).runInThisContext() as {
    compiledTemplates: typeof compiledTemplates;
  };
  const words = listTemplates().flatMap(({ name, text }) =>
    [...`${name}\n${text}`.matchAll(/\{\{(\w+)\}\}/gu)].map(([, word]) => word!),
  );
  // Values that Handlebars could escape or read.
  const context = Object.fromEntries(words.map((word) => [word, `<"${word}" & {{${word}}}>`]));
  const fillIn = (all: ReturnType<typeof compiledTemplates>) =>
    all.map(({ name, path, content }) => [name, path(context), content(context)]);
  for (const folder of ["typescript", "kustomize", "helm", "kustomize/init/base", "kustomize/init/nosuch"])
    expect(fillIn(bundled.compiledTemplates(folder))).toEqual(fillIn(compiledTemplates(folder)));
  expect(fillIn(bundled.compiledTemplates("typescript")).length).toBeGreaterThan(50);
  const [first] = bundled.compiledTemplates("typescript/create-api/types");
  expect(() => first!.content({})).toThrow("not defined");
});
