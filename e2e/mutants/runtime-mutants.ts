import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listSources, repository } from "../support/source-imports.ts";
import { chooseMutants } from "./choose-mutants.ts";
import { findMutants, type Mutant } from "./find-mutants.ts";

/** The folder whose tests are tried. */
export const folder = "src/runtime/";

/** The mutants of the runtime that are tried, of all of its folders. */
export function runtimeMutants(count = 150): Mutant[] {
  const files = listSources(folder).filter((file) => !/\.test(-d)?\.ts$|\/k8s\//.test(file));
  return chooseMutants(
    files.flatMap((file) => findMutants(file, readFileSync(join(repository, file), "utf8"))),
    count,
  );
}
