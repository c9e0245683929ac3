import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";

test("a page in a browser can write tests: nothing of Node is imported", async () => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("written-test.ts", import.meta.url))],
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    conditions: ["@tsbuilder/source"],
    logLevel: "silent",
  });
  expect(outputFiles).toHaveLength(1);
  expect(outputFiles[0]!.text).not.toMatch(/\b(?:process|Buffer|require)\b[.(]/u);
});
