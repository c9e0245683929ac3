import { buildOlmProgram } from "./build.ts";

/** Builds the program, so that the tests beside this folder find it. */
console.log(buildOlmProgram());
