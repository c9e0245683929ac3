import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { repository } from "../support/source-imports.ts";
import { explainUnused, type UnusedIssue } from "./explain-unused.ts";

/** Finds unused files, exports and dependencies, and prints a fix for each. */
const knip = join(repository, "node_modules/knip/bin/knip.js");
const { stdout, stderr } = spawnSync(process.execPath, [knip, "--cache", "--reporter", "json"], {
  cwd: repository,
  encoding: "utf8",
  maxBuffer: 2 ** 28,
});
const sentences = readIssues();
for (const sentence of sentences) console.error(sentence);
if (sentences.length > 0) process.exitCode = 1;

function readIssues(): string[] {
  try {
    return explainUnused((JSON.parse(stdout) as { issues: UnusedIssue[] }).issues);
  } catch {
    return [`knip did not get to an answer:\n${stdout}${stderr}`];
  }
}
