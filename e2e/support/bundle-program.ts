import { build } from "esbuild";

/** A file of a program, or its text, whose imports are resolved from a folder. */
type Program = { readonly file: string } | { readonly text: string; readonly folder: string };

/** Bundles a program on the sources of our packages into one file, as the image of an operator has it. */
export async function bundleProgram(program: Program, outfile: string): Promise<void> {
  await build({
    ...("file" in program
      ? { entryPoints: [program.file] }
      : { stdin: { contents: program.text, resolveDir: program.folder, loader: "ts" } }),
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    conditions: ["@tsbuilder/source"],
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    logLevel: "error",
  });
}
