import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { execa } from "execa";
import { packageManagerOf } from "../../project/package-manager.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { readJsonObject } from "../../shared/read-json.ts";

/** A test that ran; one that passed has no messages. */
interface Outcome {
  readonly name: string;
  readonly messages: readonly string[];
}

/** The results of a file of tests. */
interface TestFile {
  /** The path in the project. */
  readonly path: string;
  readonly outcomes: readonly Outcome[];
  /** The number of skipped tests. */
  readonly skipped: number;
}

/** The part of vitest's JSON report that is read. */
interface VitestReport {
  readonly testResults?: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

interface RunOptions {
  /** A folder for temporary files. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Ends vitest when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** Runs files of tests with the project's vitest, one by one, since they share a cluster. Throws if vitest can't run them. */
export async function runTestFiles(
  root: string,
  include: readonly string[],
  { folder, env, signal }: RunOptions,
): Promise<TestFile[]> {
  const config = join(folder, "vitest.config.mjs");
  const report = join(folder, "vitest.json");
  // The project's own configuration is for tests that start their cluster themselves.
  const globs = include.map((path) => path.replaceAll(/[\\*?[\]{}()!+@]/gu, "\\$&"));
  // A worker that waits would outlive a vitest that was killed, until its test's time is over.
  const setup = join(folder, "setup.mjs");
  writeFileSync(setup, `process.once("disconnect", () => process.exit(1));\n`);
  const test = {
    include: globs,
    setupFiles: [setup],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  };
  writeFileSync(config, `export default ${JSON.stringify({ root, test })};\n`);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile=${report}`];
  const args = ["run", "--root", root, "--config", config, ...reporters];
  const { exitCode, stderr } = await execa("vitest", args, {
    cwd: root,
    env: { ...env, NO_COLOR: "1" },
    localDir: root,
    preferLocal: true,
    reject: false,
    ...(signal ? { cancelSignal: signal } : {}),
  });
  signal?.throwIfAborted();
  if (!existsSync(report)) {
    throw new TsbuilderError(`vitest ran no tests: ${stderr.trim() || "it is not installed"}`, {
      code: "TOOL_FAILED",
      hint: `install the project's packages: ${packageManagerOf(root).install}`,
    });
  }
  const files = readReport(report, root);
  const hasFailed = files.some(({ outcomes }) => outcomes.some(({ messages }) => messages.length > 0));
  if (exitCode === 0 || hasFailed) return files;
  // Such as an error that nothing waits for, which vitest assigns to no test.
  const unassigned = { name: "vitest", messages: [stderr.trim() || `vitest exited with ${exitCode}`] };
  return files.map((file) => ({ ...file, outcomes: [...file.outcomes, unassigned] }));
}

function readReport(report: string, root: string): TestFile[] {
  const { testResults = [] } = readJsonObject(report, readFileSync(report, "utf8")) as VitestReport;
  return testResults.map(({ name, status, message, assertionResults }) => {
    const outcomes = assertionResults
      .filter((result) => result.status === "passed" || result.status === "failed")
      .map((result) => ({ name: result.fullName, messages: result.failureMessages ?? [] }));
    // A file that fails while it is loaded has no tests.
    const isBroken = status !== "passed" && outcomes.every(({ messages }) => messages.length === 0);
    const path = relative(root, name).replaceAll("\\", "/");
    return {
      path,
      outcomes: isBroken ? [...outcomes, { name: path, messages: [message] }] : outcomes,
      skipped: assertionResults.length - outcomes.length,
    };
  });
}
