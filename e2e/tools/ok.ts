import { parseArgs } from "node:util";
import { readChangedFiles } from "./changed-files.ts";
import { allChecks, planChecks } from "./plan-checks.ts";
import { runChecks } from "./run-checks.ts";
import { selectTests } from "./select-tests.ts";
import { readSourceGraph, readTestCosts } from "./source-graph.ts";

const help = `npm run ok [-- --all | --since COMMIT]

Checks what changed since the last commit: types, lint, format, unused code, and the tests of the changed files and
of those that import them, nearest first, as many as fit into eight seconds.
  --since COMMIT   check what changed since another commit, for example a branch with --since main
  --all            check everything, and run all unit tests`;

/** Milliseconds of tests that keep the total below 20 s. */
const budget = 8_000;

const { values } = parseArgs({
  options: {
    all: { type: "boolean", default: false },
    since: { type: "string", default: "HEAD" },
    help: { type: "boolean", default: false },
  },
});

if (values.help) console.log(help);
else if (!(await runChecks(values.all ? allChecks : checksOfChange(), console.log))) process.exitCode = 1;

function checksOfChange() {
  const changed = readChangedFiles(values.since);
  const files = [...changed.present, ...changed.deleted];
  const { run, leftOut } = selectTests(files, { imports: readSourceGraph(), costs: readTestCosts() }, budget);
  console.log(`${files.length} files changed since ${values.since}: ${run.length} test files are near them`);
  if (leftOut.length > 0)
    console.log(`left out: ${leftOut.length} test files that would take longer: npm run ok -- --all`);
  return planChecks(changed, run);
}
