import { buildOlmPrograms, findOlmPrograms } from "./build.ts";

/** Builds the programs, so that the tests beside this folder find them. With `--find`, only tells whether they are. */
const found = process.argv.includes("--find") ? findOlmPrograms() : { folder: buildOlmPrograms() };
console.log("missing" in found ? found.missing : found.folder);
if ("missing" in found) process.exitCode = 1;
