import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listSources, repository } from "../../../../e2e/support/source-imports.ts";
import { environmentVariables } from "./reference-pages.ts";

/** `env.HOME`, `process.env["TERM"]` and the like. */
const read = /\benv(?:ironment)?\??(?:\.([A-Z]\w*)|\["(\w+)"\])/g;
/** `const { HOME, XDG_CACHE_HOME: folder } = env`. */
const taken = /\{([^{}]*)\} = (?:process\.)?env\b/g;
/** Variables that flags of operators read, that are set for other programs, or whose names are in constants. */
const named = /\benv: "([A-Z_]+)"|"(HTTPS?_PROXY|TSBUILDER_[A-Z_]+)"|\b(TSBUILDER_[A-Z_]+):/g;

function variablesIn(file: string): string[] {
  const text = readFileSync(join(repository, file), "utf8");
  const direct = [read, named].flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match) => match.slice(1).find((name) => name !== undefined)!),
  );
  const destructured = [...text.matchAll(taken)].flatMap(
    ([, names]) => names!.match(/\b[A-Z][A-Z_]+\b/g) ?? [],
  );
  return [...direct, ...destructured];
}

/** Tests, and what builds the book and our packages. */
const notShipped = /\.test(-d)?\.ts$|^src\/(book|packaging\/release)\//;

/** Replaced when the packages are built: nothing of the environment. */
const constants = ["TSBUILDER_COMMIT"];

const readByNode = "NO_COLOR";

test("every variable that the sources read is described, and no other", () => {
  const sources = listSources("src").filter((file) => !notShipped.test(file));
  const cluster = "templates/typescript/init/project/test/e2e/cluster.ts.hbs";
  const found = new Set(
    [...sources, cluster].flatMap(variablesIn).filter((name) => !constants.includes(name)),
  );
  const described = Object.values(environmentVariables).flatMap((variables) => Object.keys(variables));
  expect([...found, readByNode].sort()).toEqual(described.sort());
});
