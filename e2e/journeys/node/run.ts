import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { machineState } from "../../oracle/real/node/machine-state.ts";
import { prepareNode } from "../../oracle/real/node/node-programs.ts";
import { keepers, tracedSandboxes } from "../../oracle/real/node/sandbox-traces.ts";
import { resultsPage, type VitestReport } from "./results-page.ts";

// Runs the tests on a real Kubernetes, all of them or those of some files, writes their results down, and fails if the
// machine is not as it was before.

const files = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "node-journeys-"));
const report = join(folder, "report.json");
const suite = ["run", "--config", ".config/vitest.config.ts", "--project", "node"];
const output = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
const words = ["--no-install", "vitest", ...suite, ...output, ...files];
// The packages that the programs need are installed first, so they don't count.
const compared = !("missing" in prepareNode());
const others = keepers();
const earlier = tracedSandboxes();
const before = compared ? shared() : {};
// A Ctrl-C ends the tests; what they leave is still compared.
process.on("SIGINT", () => {});
const { status } = spawnSync("npx", words, { stdio: "inherit" });
const controlPlane = process.env["CONTROL_PLANE"] ?? "real";
// Interrupted tests write no report.
if (existsSync(report)) {
  const page = new URL("RESULTS.md", import.meta.url);
  const results = JSON.parse(readFileSync(report, "utf8")) as VitestReport;
  writeFileSync(
    page,
    resultsPage(readFileSync(page, "utf8"), results, { root: process.cwd(), controlPlane }),
  );
}
rmSync(folder, { recursive: true });
// Interrupted tests leave their sandboxes to the keepers, which take a moment.
while (keepers().some((keeper) => !others.includes(keeper))) await setTimeout(100);
const left = Object.entries(compared ? shared() : {}).filter(([name, state]) => state !== before[name]);
for (const [name, state] of left) console.error(`not as before: ${name}: ${before[name]}\nnow: ${state}`);
if (compared && left.length === 0) console.log(`as before: ${Object.keys(before).join(", ")}`);
process.exitCode = left.length > 0 ? 1 : (status ?? 1);

/** Links, routes, rules of iptables, mounts and settings of the machine, and the sandboxes that began since. */
function shared(): Readonly<Record<string, string>> {
  const begun = tracedSandboxes().filter((name) => !earlier.includes(name));
  return { ...machineState(), sandboxes: begun.join("\n") };
}
