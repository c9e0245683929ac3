import { writeFileSync } from "node:fs";
import { kubernetesVersion } from "../real/build-kubernetes.ts";
import { findProgram } from "./find-program.ts";
import { whyLeftOut } from "./left-out.ts";
import { listSpecs, runSpecs } from "./run-specs.ts";
import { parseSuiteOptions, suiteHelp } from "./suite-options.ts";
import { rowsOf, titleOf, verdictsPage } from "./table.ts";

const page = new URL("VERDICTS.md", import.meta.url);

if (process.argv.includes("--help")) {
  console.log(suiteHelp);
  process.exit();
}
const { build, focus, shares } = parseSuiteOptions(process.argv.slice(2));
const program = findProgram();
if ("missing" in program) {
  console.log(`left out: Kubernetes' conformance suite: ${program.missing}`);
  process.exit();
}
if (build) process.exit();
// Without a listener, a signal ends this process before it can end those of e2e.test.
for (const [signal, number] of [
  ["SIGINT", 2],
  ["SIGTERM", 15],
  ["SIGHUP", 1],
] as const)
  process.once(signal, () => process.exit(128 + number));
const all = await listSpecs(program);
const specs = all.filter((spec) =>
  focus === undefined ? whyLeftOut(spec) === undefined : spec.includes(focus),
);
const output = focus === undefined ? "ignore" : "inherit";
const verdicts = await runSpecs(program, specs, { shares, output });
const rows = rowsOf(focus === undefined ? all : specs, verdicts, whyLeftOut);
const failed = rows.filter(({ verdict }) => verdict === "failed");
for (const { spec, why } of failed) console.log(`failed: ${titleOf(spec)}: ${why}`);
console.log(`${specs.length - failed.length} specs passed, ${failed.length} failed`);
console.log(`left out: ${all.length - specs.length} of ${all.length} conformance specs of Kubernetes`);
if (focus === undefined) writeFileSync(page, verdictsPage(kubernetesVersion, rows));
if (failed.length > 0) process.exitCode = 1;
