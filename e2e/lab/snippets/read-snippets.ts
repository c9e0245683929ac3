import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../../support/source-imports.ts";

/** A piece of TypeScript in a README or on a page of the book. */
export interface Snippet {
  readonly file: string;
  readonly line: number;
  readonly code: string;
}

/** The pages of the book but for those of the tutorial, which are followed as a whole. */
const pages = readdirSync(join(repository, "src/book"), { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".md") && !path.startsWith("cronjob-tutorial"))
  .map((path) => `src/book/${path}`);

/** The READMEs and pages that people copy TypeScript from. */
export const readmes = [
  "README.md",
  "src/runtime/README.md",
  "src/cluster/README.md",
  "src/apimachinery/README.md",
  ...pages,
];

/** All snippets of them, in their order. */
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
