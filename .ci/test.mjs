// Runs one of the test suites for .ci/run: `node .ci/test.mjs NAME VITEST-ARGUMENTS…`.
// Nothing is retried, with one exception: files that failed run a second time to tell a flake from a failure. A flake
// is noted with both outputs in REPORTS/NAME.json, which .ci/summary.mjs reads; it does not fail this step.
// A test that blocks its process escapes the test runner's own limits: a suite that does not end is killed, and the
// tests and processes that ran are printed.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [name, ...args] = process.argv.slice(2);
const reports = process.env.REPORTS;
const limit = 40 * 60_000;

const first = await run(`${name}.first`, args);
const failedFiles = [...new Set(first.failures.map(({ file }) => file))];
let { failures } = first;
let flakes = [];
if (failedFiles.length > 0) {
  console.log(`\n-- ${name}: failed files run once more, to tell flakes from failures`);
  const kept = ["--project", "--testTimeout"];
  const flags = args.flatMap((arg, at) => (kept.includes(args[at - 1]) ? [args[at - 1], arg] : []));
  const second = await run(`${name}.second`, [...flags, ...failedFiles]);
  flakes = [
    ...failures.filter(({ id }) => second.passed.includes(id)).map((test) => ({ ...test, second: "passed" })),
    ...second.failures
      .filter(({ id }) => first.passed.includes(id))
      .map((test) => ({ ...test, output: "passed", second: test.output })),
  ];
  failures = failures.filter(({ id }) => !second.passed.includes(id));
}

writeFileSync(
  join(reports, `${name}.json`),
  JSON.stringify({ passed: first.passed.length, failures, flakes, slowest: first.slowest }),
);
process.exit(failures.length > 0 || !first.completed ? 1 : 0);

async function run(label, vitestArgs) {
  const report = join(reports, `${label}.report`);
  const config = ["run", "--config", ".config/vitest.config.ts"];
  const output = [
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${report}`,
    "--reporter=.ci/running.mjs",
  ];
  const running = join(reports, `${label}.running`);
  const runner = spawn("npx", ["--no-install", "vitest", ...config, ...output, ...vitestArgs], {
    stdio: "inherit",
    detached: true,
    env: { ...process.env, RUNNING: running },
  });
  const group = (signal) => process.kill(-runner.pid, signal);
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, group);
  const timer = setTimeout(() => {
    console.log(`\n-- ${name}: not ended after ${limit / 60_000} minutes; these tests run:`);
    console.log(begun(running).join("\n"));
    spawnSync(
      "ps",
      [
        "-N",
        "--ppid",
        "2",
        "-p",
        "2",
        "-o",
        "pid,ppid,stat,etimes,wchan:20,args",
        "--forest",
        "--cols",
        "220",
      ],
      {
        stdio: "inherit",
      },
    );
    group("SIGKILL");
  }, limit);
  const status = await new Promise((resolve) => {
    runner.once("close", (code, signal) => resolve(code ?? signal));
  });
  clearTimeout(timer);
  return readReport(report, status);
}

/** The tests and files that began and did not end. */
function begun(running) {
  const names = new Set();
  const lines = existsSync(running) ? readFileSync(running, "utf8").trimEnd().split("\n") : [];
  for (const line of lines) names[line.startsWith("+") ? "add" : "delete"](line.slice(1));
  return [...names];
}

function readReport(report, status) {
  let results;
  try {
    results = JSON.parse(readFileSync(report, "utf8")).testResults;
  } catch {
    console.log(`the test runner ended with ${status} and wrote no report`);
    return { passed: [], failures: [], slowest: [], completed: false };
  }
  const tests = results.flatMap(({ name: file, message, assertionResults }) => {
    if (assertionResults.length === 0 && message)
      return [{ id: `${file} (the file itself)`, file, status: "failed", duration: 0, output: message }];
    return assertionResults.map(({ fullName, status: state, duration = 0, failureMessages }) => ({
      id: `${file} > ${fullName}`,
      file,
      status: state,
      duration,
      output: failureMessages.join("\n"),
    }));
  });
  const failures = tests.filter((test) => test.status === "failed");
  // Errors that belong to no test fail the run, too.
  const completed = status === 0 || failures.length > 0;
  if (!completed) console.log(`the test runner ended with ${status}, though no test failed: see above`);
  return {
    passed: tests.filter((test) => test.status === "passed").map(({ id }) => id),
    failures,
    slowest: tests
      .toSorted((a, b) => b.duration - a.duration)
      .slice(0, 10)
      .map(({ id, duration }) => ({ id, duration })),
    completed,
  };
}
