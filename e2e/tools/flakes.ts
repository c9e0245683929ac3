import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repository } from "../support/source-imports.ts";
import { explainFlakes, type FailedTest, failedTests, type TestReport } from "./failed-tests.ts";
import { flakesHelp, type FlakesOptions, parseFlakesOptions } from "./flakes-options.ts";

if (process.argv.includes("--help")) console.log(flakesHelp);
else process.exitCode = findFlakes(parseFlakesOptions(process.argv.slice(2)));

/** Runs tests repeatedly beside busy programs, and prints which of them failed, and how often. */
function findFlakes(options: FlakesOptions): number {
  const folder = mkdtempSync(join(tmpdir(), "tsbuilder-flakes-"));
  const programs = Array.from({ length: options.busy }, keepBusy);
  const runs: FailedTest[][] = [];
  try {
    while (runs.length < options.runs) {
      const started = performance.now();
      const failed = runTests(options, join(folder, "report.json"));
      runs.push(failed);
      const seconds = ((performance.now() - started) / 1000).toFixed(0);
      console.log(
        `run ${runs.length}: ${failed.length === 0 ? "ok" : `${failed.length} failed`}, ${seconds} s`,
      );
    }
  } finally {
    for (const program of programs) program.kill();
    rmSync(folder, { recursive: true });
  }
  const explained = explainFlakes(runs);
  if (explained !== "") console.log(`\n${explained}`);
  return explained === "" ? 0 : 1;
}

function keepBusy(): ChildProcess {
  return spawn(process.execPath, ["--eval", "for (;;);"], { stdio: "ignore" });
}

function runTests({ projects, files, alone }: FlakesOptions, report: string): FailedTest[] {
  const vitest = join(repository, "node_modules/vitest/vitest.mjs");
  const args = [
    "run",
    "--config",
    ".config/vitest.config.ts",
    "--reporter=json",
    `--outputFile.json=${report}`,
  ];
  const selected = [
    ...projects.map((name) => `--project=${name}`),
    ...(alone ? ["--isolate", "--pool=forks"] : []),
  ];
  rmSync(report, { force: true });
  const { status, stderr } = spawnSync(process.execPath, [vitest, ...args, ...selected, ...files], {
    cwd: repository,
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"],
    maxBuffer: 2 ** 28,
  });
  const failed = failedTests(JSON.parse(readFileSync(report, "utf8")) as TestReport, repository);
  // Errors that belong to no test fail the run, too.
  return failed.length === 0 && status !== 0 ? [{ id: "no test, but the run", output: stderr }] : failed;
}
