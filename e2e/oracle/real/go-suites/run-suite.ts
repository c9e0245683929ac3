import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The results of the specs of one Go package. */
export interface SuiteOutcome {
  readonly passed: number;
  /** The names of the failed specs, each with the first line of its error. */
  readonly failed: ReadonlyMap<string, string>;
  readonly output: string;
}

/** A package of a module whose tests are compiled. */
export interface CompiledSuite {
  readonly program: string;
  /** The folder that Go would run the tests in. */
  readonly folder: string;
}

/** Compiles the tests of a package of a module to a file. Throws with what Go says if they don't compile. */
export async function compileSuite(module: string, pkg: string, program: string): Promise<CompiledSuite> {
  const built = await run("go", ["test", "-c", "-vet=off", "-o", program, `./${pkg}`], module);
  if (built.code !== 0) throw new Error(`the tests of ${pkg} don't compile:\n${built.output}`);
  return { program, folder: join(module, pkg) };
}

/**
 * Runs compiled tests on the control plane that environment variables name. With `select`, only Go tests of these names
 * run, and each counts; else each spec of Ginkgo counts.
 */
export async function runSuite(
  { program, folder }: CompiledSuite,
  variables: Readonly<Record<string, string>>,
  select?: string,
): Promise<SuiteOutcome> {
  const reports = mkdtempSync(join(tmpdir(), "go-suite-"));
  try {
    const report = join(reports, "report.json");
    const flags =
      select === undefined
        ? ["--ginkgo.no-color", "--ginkgo.seed=1", `--ginkgo.json-report=${report}`]
        : ["-test.v", `-test.run=${select}`];
    const { output, code } = await run(program, flags, folder, variables);
    if (select !== undefined) return readVerbose(output, code);
    return existsSync(report) ? readReport(report, output) : ended(output);
  } finally {
    rmSync(reports, { recursive: true, force: true });
  }
}

function run(
  program: string,
  argv: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number; output: string }> {
  const options = { cwd, env: { ...process.env, ...env }, maxBuffer: 1024 * 1024 * 1024 };
  return new Promise((resolve) => {
    execFile(program, argv, options, (error, stdout, stderr) =>
      resolve({ code: error ? 1 : 0, output: `${stdout}${stderr}` }),
    );
  });
}

interface Spec {
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeText: string;
  readonly LeafNodeType: string;
  readonly State: string;
  readonly Failure?: { readonly Message?: string };
}

function readReport(file: string, output: string): SuiteOutcome {
  const [suite] = JSON.parse(readFileSync(file, "utf8")) as [{ SpecReports: Spec[] | null }];
  const specs = suite.SpecReports ?? [];
  const isOver = ({ State }: Spec) => !["passed", "pending", "skipped"].includes(State);
  const name = ({ ContainerHierarchyTexts, LeafNodeText, LeafNodeType }: Spec) =>
    [...(ContainerHierarchyTexts ?? []), LeafNodeText || LeafNodeType].join(" ");
  return {
    passed: specs.filter(({ State, LeafNodeType }) => State === "passed" && LeafNodeType === "It").length,
    failed: new Map(specs.filter(isOver).map((spec) => [name(spec), spec.Failure?.Message ?? spec.State])),
    output,
  };
}

/** Tests without ginkgo report line by line. */
function readVerbose(output: string, code: number): SuiteOutcome {
  const lines = [...output.matchAll(/^\s*--- (PASS|FAIL): (\S+)/gm)];
  const failed = new Map(
    lines.filter(([, verdict]) => verdict === "FAIL").map(([, , name]) => [name!, "failed"]),
  );
  if (code !== 0 && failed.size === 0) return ended(output);
  return { passed: lines.filter(([, verdict]) => verdict === "PASS").length, failed, output };
}

/** The program ended before any test did: its control plane did not start, or it panicked. */
function ended(output: string): SuiteOutcome {
  return { passed: 0, failed: new Map([["the suite", "ended without a report"]]), output };
}
