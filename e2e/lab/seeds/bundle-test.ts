import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Makes a program of a project's exploring test, which explores a share instead of what the test's budget allows. */
export async function bundleTest(test: string, folder: string): Promise<string> {
  const outfile = join(folder, "explore.mjs");
  await build({
    entryPoints: [test],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    conditions: ["@tsbuilder/source"],
    alias: { vitest: beside("run-at-once.ts"), "@tsbuilder/simulation": beside("explore-share.ts") },
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    sourcemap: "inline",
    logLevel: "error",
  });
  return outfile;
}

function beside(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}
