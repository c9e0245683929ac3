import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { resultsPage, type VitestReport } from "./results-page.ts";

// Runs the tests on a real Kubernetes, all of them or those of some files, and writes their results down.

const files = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "node-journeys-"));
const report = join(folder, "report.json");
const suite = ["run", "--config", ".config/vitest.config.ts", "--project", "node"];
const output = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
const words = ["--no-install", "vitest", ...suite, ...output, ...files];
const { status } = spawnSync("npx", words, { stdio: "inherit" });
const page = new URL("RESULTS.md", import.meta.url);
const results = JSON.parse(readFileSync(report, "utf8")) as VitestReport;
writeFileSync(page, resultsPage(readFileSync(page, "utf8"), results, process.cwd()));
rmSync(folder, { recursive: true });
process.exitCode = status ?? 1;
