import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { repository } from "../../support/source-imports.ts";
import type { Mutant } from "./find-mutants.ts";

/** The first test that failed for a mutant, and its file if it is known; undefined if all passed. */
export type Verdict = { readonly by: string; readonly file?: string } | undefined;

/** Runs unit tests with a mutant in the place of the source, until one fails; the time limit is in milliseconds. */
export async function runTests(
  mutant: Mutant | undefined,
  tests: readonly string[],
  limit: number,
): Promise<Verdict> {
  const folder = mkdtempSync(join(tmpdir(), "mutant-"));
  const report = join(folder, "report.json");
  const vitest = join(repository, "node_modules/vitest/vitest.mjs");
  const flags = ["--bail", "1", "--reporter", "json", "--outputFile", report];
  const child = spawn(
    process.execPath,
    [vitest, "run", "--config", "e2e/lab/mutants/vitest.config.ts", ...flags, ...tests],
    {
      cwd: repository,
      stdio: "ignore",
      timeout: limit,
      killSignal: "SIGKILL",
      env: { ...process.env, ...(mutant && { TSBUILDER_MUTANT: JSON.stringify(mutant) }) },
    },
  );
  try {
    const code = await new Promise<number | null>((resolve) => {
      child.once("exit", resolve);
    });
    if (code === 0) return undefined;
    return code === null ? { by: "a time limit" } : readFailure(report);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

function readFailure(report: string): Verdict {
  let results: Report["testResults"];
  try {
    results = (JSON.parse(readFileSync(report, "utf8")) as Report).testResults;
  } catch {
    return { by: "the end of the process" };
  }
  for (const { name, message, assertionResults } of results) {
    const failed = assertionResults.find(({ status }) => status === "failed");
    const file = relative(repository, name);
    if (failed) return { by: failed.fullName, file };
    if (message !== "") return { by: "a test file that does not load", file };
  }
  return { by: "an error outside of tests" };
}
