import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { cutParser, declareParser } from "./cut-parser.ts";

/**
 * `npm run lab -- parser`: cuts the parser out of the TypeScript compiler, because loading all of it takes longer than
 * everything else in a command. The output is not committed: it is TypeScript's own code.
 */
const loader = join(import.meta.dirname, "..");
const folder = join(loader, "generated");
const compiler = createRequire(import.meta.url).resolve("typescript");
const exported = usedNames();

mkdirSync(folder, { recursive: true });

buildSync({
  stdin: { contents: cutParser(readFileSync(compiler, "utf8"), exported), sourcefile: "typescript.js" },
  outfile: join(folder, "parser.js"),
  bundle: true,
  format: "esm",
  platform: "neutral",
  target: "node20",
  legalComments: "inline",
  logLevel: "warning",
});

writeFileSync(join(folder, "parser.d.ts"), declareParser(exported));

/** Finds the names of the parser that the sources of the loader use. */
function usedNames(): string[] {
  const files = readdirSync(loader).filter((name) => name.endsWith(".ts"));
  const uses = files.flatMap(
    (name) => readFileSync(join(loader, name), "utf8").match(/(?<=[^/\w]parser\.)\w+/gu) ?? [],
  );
  return [...new Set(uses)].sort();
}
