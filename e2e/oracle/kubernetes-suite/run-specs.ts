import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SuiteProgram } from "./find-program.ts";
import { startSuiteCluster } from "./suite-cluster.ts";
import { type GinkgoReport, readVerdicts, type Verdict } from "./verdicts.ts";

/** The flags that a cluster without containers needs, and an order that is always the same. */
const flags = [
  "--provider=skeleton",
  "--num-nodes=2",
  "--allowed-not-ready-nodes=-1",
  "--dump-logs-on-failure=false",
  "--disable-log-dump",
  "--node-schedulable-timeout=30s",
  "--ginkgo.no-color",
  "--ginkgo.seed=1",
  "--ginkgo.timeout=3h",
];

export type Program = Exclude<SuiteProgram, { missing: string }>;

/** The names of all specs of the suite. */
export async function listSpecs(program: Program): Promise<string[]> {
  const args = ["--ginkgo.dry-run", "--ginkgo.focus=\\[Conformance\\]", "--kubeconfig=/dev/null"];
  return (await runSuite(program, args, { output: "ignore" })).map(({ spec }) => spec);
}

interface RunOptions {
  /** How many shares of the specs run side by side. */
  readonly shares: number;
  /** Where the output of e2e.test goes. */
  readonly output: "inherit" | "ignore";
}

/**
 * Runs the specs side by side, each share of them one after the other on a cluster of its own: most of their time they
 * wait, and no spec sees what those of another share do.
 */
export async function runSpecs(
  program: Program,
  specs: readonly string[],
  { shares, output }: RunOptions,
): Promise<Verdict[]> {
  const verdicts = Array.from({ length: Math.min(shares, specs.length) }, (_, share) => {
    const own = specs.filter((_, at) => at % shares === share);
    return runShare(program, own, output);
  });
  return (await Promise.all(verdicts)).flat();
}

async function runShare(
  program: Program,
  specs: readonly string[],
  output: RunOptions["output"],
): Promise<Verdict[]> {
  const cluster = await startSuiteCluster();
  try {
    const kubeconfig = await cluster.kubeconfigFile();
    return await runSuite(program, [`--kubeconfig=${kubeconfig}`, focusOn(specs)], { output });
  } finally {
    await cluster.stop();
  }
}

/** The flag by which these specs run and no others. */
export function focusOn(specs: readonly string[]): string {
  const names = specs.map((spec) => ` ${spec.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}$`);
  return `--ginkgo.focus=${names.join("|")}`;
}

/** Runs e2e.test once, behind the words of `enter`. */
export async function runSuite(
  { path, kubectl }: Program,
  args: readonly string[],
  { output, enter = [] }: { readonly output: RunOptions["output"]; readonly enter?: readonly string[] },
): Promise<Verdict[]> {
  const folder = await mkdtemp(join(tmpdir(), "kubernetes-suite-"));
  try {
    const report = join(folder, "report.json");
    const own = [`--kubectl-path=${kubectl}`, `--ginkgo.json-report=${report}`];
    const [first = "", ...words] = [...enter, path, ...flags, ...own, ...args];
    const suite = spawn(first, words, {
      cwd: folder,
      stdio: ["ignore", output, output],
    });
    const end = (): void => {
      suite.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    };
    process.once("exit", end);
    const [code] = (await once(suite, "close")) as [number | null];
    process.off("exit", end);
    if (!existsSync(report)) throw new Error(`e2e.test ended with ${code} and wrote no report`);
    return readVerdicts(JSON.parse(await readFile(report, "utf8")) as GinkgoReport[]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
