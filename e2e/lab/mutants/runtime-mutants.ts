import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listSources, repository } from "../../support/source-imports.ts";
import { chooseMutants } from "./choose-mutants.ts";
import { findMutants, type Mutant } from "./find-mutants.ts";

/** The folder whose tests are tried. */
export const folder = "src/runtime/";

/** Every mutant of the runtime. */
export function allMutants(): Mutant[] {
  const files = listSources(folder).filter((file) => !/\.test(-d)?\.ts$|\/k8s\//.test(file));
  return files.flatMap((file) => findMutants(file, readFileSync(join(repository, file), "utf8")));
}

/** The chosen mutants of all folders. */
export function chosenMutants(count = 150): Mutant[] {
  return chooseMutants(allMutants(), count);
}
