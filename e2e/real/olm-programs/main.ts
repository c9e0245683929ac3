import { buildOlmPrograms } from "./build.ts";

/** Builds the programs, so that the tests beside this folder find them. */
console.log(buildOlmPrograms());
