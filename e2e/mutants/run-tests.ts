import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repository } from "../support/source-imports.ts";
import type { Mutant } from "./find-mutants.ts";

/** How the tests ended: the name of the first that failed, `"hangs"` if they did not end, undefined if all passed. */
export type Verdict = string | undefined;

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
    [vitest, "run", "--config", "e2e/mutants/vitest.config.ts", ...flags, ...tests],
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
    return code === null ? "hangs" : readFailure(report);
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

function readFailure(report: string): string {
  let results: Report["testResults"];
  try {
    results = (JSON.parse(readFileSync(report, "utf8")) as Report).testResults;
  } catch {
    return "the run broke off";
  }
  for (const { name, message, assertionResults } of results) {
    const failed = assertionResults.find(({ status }) => status === "failed");
    if (failed) return failed.fullName;
    if (message !== "") return `${name} does not load`;
  }
  return "an error outside of tests";
}
