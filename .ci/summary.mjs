// Ends .ci/run: `node .ci/summary.mjs PASSED-STEPS FAILED-STEPS`. Adds up what .ci/test.mjs wrote into REPORTS, names
// the slowest tests, the flakes and what failed, and fails for any failure and for more than two flakes.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const mostFlakes = 2;
const mostOutput = 2000;
const reports = process.env.REPORTS;
const [passedSteps, failedSteps] = process.argv.slice(2).map(Number);
const suites = readdirSync(reports)
  .filter((file) => file.endsWith(".json"))
  .map((file) => ({ file, ...JSON.parse(readFileSync(join(reports, file), "utf8")) }));
const here = `${process.cwd()}/`;

// The schedules get only the time that all else leaves: how long they take says nothing about them.
const slowest = suites
  .filter(({ file }) => file !== "schedules.json")
  .flatMap((suite) => suite.slowest)
  .toSorted((a, b) => b.duration - a.duration)
  .slice(0, 10);
console.log("\n== the ten slowest tests, but for the schedules");
for (const { id, duration } of slowest)
  console.log(`${(duration / 1000).toFixed(1).padStart(6)} s  ${id.replace(here, "")}`);

const flakes = suites.flatMap((suite) => suite.flakes);
if (flakes.length > 0) {
  console.log(`\n== flakes: ${flakes.length} of at most ${mostFlakes}; to mend them is the next commit`);
  for (const { id, output, second } of flakes) {
    console.log(`\n-- ${id.replace(here, "")}\nfirst run: ${output}\nsecond run: ${second}`);
  }
}

// Who gets only the end of the output reads it here.
const failures = suites.flatMap((suite) => suite.failures);
const failedNames = join(reports, "failed-steps");
if (existsSync(failedNames)) {
  console.log("\n== failed steps");
  process.stdout.write(readFileSync(failedNames, "utf8"));
}
if (failures.length > 0) {
  console.log("\n== failed tests");
  for (const { id, output } of failures) {
    console.log(`\n-- ${id.replace(here, "")}\n${output.slice(0, mostOutput)}`);
  }
}

const sum = (count) => suites.reduce((total, suite) => total + count(suite), 0);
const tooMany = flakes.length > mostFlakes ? flakes.length : 0;
const passed = passedSteps + sum((suite) => suite.passed);
const failed = failedSteps + failures.length + tooMany;
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
