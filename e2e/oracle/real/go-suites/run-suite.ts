import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The results of the specs of one Go package. */
export interface SuiteOutcome {
  readonly passed: number;
  /** The names of the failed specs, each with the first line of its error. */
  readonly failed: ReadonlyMap<string, string>;
  readonly output: string;
}

/** Compiles the tests of a package of a module and runs them on a control plane of the folder `assets`. */
export async function runSuite(
  module: string,
  pkg: string,
  assets: string,
  select?: string,
): Promise<SuiteOutcome> {
  const folder = mkdtempSync(join(tmpdir(), "go-suite-"));
  try {
    const program = join(folder, "suite");
    const built = await run("go", ["test", "-c", "-vet=off", "-o", program, `./${pkg}`], module);
    if (built.code !== 0) throw new Error(`the tests of ${pkg} don't compile:\n${built.output}`);
    const report = join(folder, "report.json");
    const flags = select
      ? ["-test.v", `-test.run=${select}`]
      : ["--ginkgo.no-color", `--ginkgo.json-report=${report}`];
    const { output } = await run(program, flags, join(module, pkg), { KUBEBUILDER_ASSETS: assets });
    return select ? readVerbose(output) : readReport(report, output);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(
  program: string,
  argv: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<{ code: number; output: string }> {
  const options = { cwd, env: { ...process.env, ...env }, maxBuffer: 256 * 1024 * 1024 };
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
function readVerbose(output: string): SuiteOutcome {
  const lines = [...output.matchAll(/^\s*--- (PASS|FAIL): (\S+)/gm)];
  return {
    passed: lines.filter(([, verdict]) => verdict === "PASS").length,
    failed: new Map(lines.filter(([, verdict]) => verdict === "FAIL").map(([, , name]) => [name!, "failed"])),
    output,
  };
}
