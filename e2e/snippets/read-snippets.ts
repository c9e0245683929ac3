import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../support/source-imports.ts";

/** A piece of TypeScript in a README. */
export interface Snippet {
  readonly file: string;
  readonly line: number;
  readonly code: string;
}

/** The READMEs that people copy TypeScript from. */
export const readmes = [
  "README.md",
  "src/runtime/README.md",
  "src/cluster/README.md",
  "src/apimachinery/README.md",
  "src/plugins/README.md",
];

/** All snippets of the READMEs, in their order. */
export function readSnippets(): Snippet[] {
  return readmes.flatMap((file) => {
    const text = readFileSync(join(repository, file), "utf8");
    return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(({ 1: code = "", index }) => ({
      file,
      line: text.slice(0, index).split("\n").length,
      code,
    }));
  });
}
