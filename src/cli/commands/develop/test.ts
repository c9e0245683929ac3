import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir, totalmem } from "node:os";
import { join, resolve } from "node:path";
import { isObject } from "@tsbuilder/apimachinery/json";
import { execa } from "execa";
import { packageManagerOf } from "../../../project/package-manager.ts";
import { applyPlan } from "../../../scaffold/apply.ts";
import { Draft, diskTree } from "../../../scaffold/tree.ts";
import type { ForegroundOptions } from "../../../dev/cluster/foreground-cluster.ts";
import { withTemporaryFolder } from "../../../ship/temporary-folder.ts";
import { chosenNodes, nodeFlags, releaseFlag } from "../../arguments/cluster-flags.ts";
import { defineCommand, invalidArgument } from "../../arguments/command.ts";
import { TsbuilderError } from "../../../shared/errors.ts";
import { quoteWord } from "../../../shared/text.ts";
import { readJsonObject } from "../../../shared/read-json.ts";
import { missingManager } from "../../packages/install-dependencies.ts";
import { openProject } from "../../project/open-project.ts";
import { planGenerated } from "../../project/plan-generated.ts";
import { stopSignal, type Ui } from "../../reporting/report.ts";
import { readDuration } from "../../arguments/flag-values.ts";

/** The flags that say how to run the exploring tests. */
export const exploreFlags = {
  explore: {
    type: "boolean",
    summary: "look for mistakes that show when processes die and watches break",
    default: false,
  },
  time: {
    type: "string",
    summary: "how long to explore each controller",
    placeholder: "DURATION",
    default: "1m",
    check: (time: string) => readDuration("time", time),
  },
  seed: { type: "number", summary: "the first seed to explore", placeholder: "N" },
  from: {
    type: "string",
    summary: "the release that is upgraded: a git ref or a folder (default: the last release's tag)",
    placeholder: "REF",
  },
} as const;

export const test = defineCommand({
  description:
    "Updates the manifests that the tests install, then runs the npm script test. With --real, startTestCluster() starts kube-apiserver and etcd for each suite: those in KUBEBUILDER_ASSETS, or the latest version from tsbuilder envtest install. Your kubeconfig is not read. With --e2e, the npm script test-e2e runs on an embedded cluster with nodes, unchanged: a program in the place of kind hands the cluster out, and loads images into it. With --explore, only the exploring tests run, for as long as --time says: they simulate users' changes and failures, from a new seed each time or from --seed. Arguments after -- are passed to the test runner.",
  streams: true,
  flags: {
    real: { type: "boolean", summary: "run on kube-apiserver and etcd, like envtest", default: false },
    e2e: { type: "boolean", summary: "run the end-to-end tests on a cluster with nodes", default: false },
    "kubernetes-version": releaseFlag,
    ...nodeFlags,
    ...exploreFlags,
  },
  takesRest: true,
  examples: [
    "tsbuilder test",
    "tsbuilder test -- --watch",
    "tsbuilder test --kubernetes-version 1.37",
    "tsbuilder test --real",
    "tsbuilder test --e2e",
    "tsbuilder test --explore --time 10m",
    "tsbuilder test --explore --from v1.2.0",
  ],
  async run({ flags, given, rest, cwd, ui }) {
    const { root } = openProject(cwd, ui);
    refuseEndlessScript(root);
    const exploring = readExploring(flags, given);
    const nodes = chosenNodes(flags.e2e ? { ...flags, nodes: flags.nodes ?? 1 } : flags);
    const kubernetesVersion = flags["kubernetes-version"];
    if (kubernetesVersion !== undefined && flags.real)
      throw invalidArgument("--kubernetes-version chooses an embedded cluster", "omit it, or --real");
    if (flags.e2e) return testEndToEnd(root, { nodes, kubernetesVersion }, rest);
    if (nodes) throw invalidArgument("only the end-to-end tests have nodes", "add --e2e");
    const realServer = flags.real ? await realServerEnvironment(ui) : {};
    const release = kubernetesVersion && { TSBUILDER_KUBERNETES_VERSION: kubernetesVersion };
    const draft = new Draft(diskTree(root));
    await planGenerated(draft, {}, { root });
    applyPlan(root, draft.changes());
    const args = ["run", "--silent", "test", "--", ...exploring.files, ...rest];
    // A test that does not set its cluster must never reach the one in the user's kubeconfig.
    const env = {
      KUBECONFIG: join(root, ".tsbuilder/no-kubeconfig"),
      ...realServer,
      ...exploring.env,
      ...release,
    };
    const count = flags.explore && rest.length === 0 ? processesFor(diskTree(root).list(".")) : 1;
    const { exitCode, code } = await withHelpers(count, (share, options) =>
      execa("npm", args, { cwd: root, env: { ...env, ...share }, reject: false, ...options }),
    );
    if (code === "ENOENT") throw missingManager("npm");
    // A shell's exit code for a command that was not found.
    if (exitCode === 127)
      ui.note(`No test runner found: install the project's packages with ${packageManagerOf(root).install}.`);
    return exitCode ?? 1;
  },
});

/** Runs the end-to-end tests, which know a cluster of kind, on an embedded one. Returns their exit code. */
function testEndToEnd(
  root: string,
  options: Pick<ForegroundOptions, "nodes" | "kubernetesVersion">,
  rest: readonly string[],
): Promise<number> {
  return withTemporaryFolder("tsbuilder-e2e-", async (folder) => {
    const { startForeground } = await import("../../../dev/cluster/foreground-cluster.ts");
    // The tests end first, then the cluster, then the folder with its kubeconfig.
    const stopped = new AbortController();
    void stopSignal().then(() => stopped.abort());
    const cluster = await startForeground({
      folder,
      kubeconfig: "kubeconfig",
      controllers: "all",
      ...options,
    });
    try {
      const kind = join(folder, "kind");
      const load = [process.execPath, process.argv[1]!, "load"].map(quoteWord).join(" ");
      writeFileSync(kind, kindScript(quoteWord(join(folder, "kubeconfig")), load), { mode: 0o755 });
      const args = ["run", "--silent", "test-e2e", "--", ...rest];
      const ended = await execa("npm", args, {
        cwd: root,
        env: { KIND: kind },
        stdio: "inherit",
        reject: false,
        cancelSignal: stopped.signal,
      });
      if (ended.code === "ENOENT") throw missingManager("npm");
      return ended.exitCode ?? 1;
    } finally {
      await cluster.stop();
    }
  });
}

/** The parts of kind that scaffolded tests use. */
const kindScript = (kubeconfig: string, load: string): string => `#!/bin/sh
case "$1 $2" in
"get kubeconfig") exec cat ${kubeconfig} ;;
"load docker-image" | "load image-archive") exec ${load} "$3" --kubeconfig ${kubeconfig} ;;
*) echo "tsbuilder test --e2e has no kind $*" >&2; exit 1 ;;
esac
`;

/** A young generation (in MB) in which most objects are garbage before it is full, and never moved: 10 to 25 % faster. */
export const exploringHeap = "--max-semi-space-size=64";

/** The ending of the names of exploring tests. */
const exploringTests = "_explore.test.ts";

/** Bytes of memory that a process needs which explores, with its test runner. */
const memoryOfProcess = 1024 ** 3;

/** Returns the number of processes among which to share each exploration, so that no core is idle, and the memory suffices. */
export function processesFor(
  files: readonly string[],
  cores = availableParallelism(),
  memory = Math.min(totalmem(), process.constrainedMemory() || Infinity),
): number {
  const tests = files.filter((path) => path.endsWith(exploringTests)).length;
  const most = Math.min(cores, Math.floor(memory / memoryOfProcess));
  return Math.max(1, Math.floor(most / Math.max(1, tests)));
}

/** How a process is started: whether the user sees its output, and what ends it early. */
type ProcessOptions =
  | { readonly stdio: "inherit" }
  | { readonly stdio: "ignore"; readonly cancelSignal: AbortSignal };

/**
 * Starts a process whose output the user sees, and others that help it for as long as it runs. They meet in a folder, in which
 * the exploration of each kind is shared.
 */
export async function withHelpers<R>(
  count: number,
  start: (env: Readonly<Record<string, string>>, options: ProcessOptions) => Promise<R>,
): Promise<R> {
  if (count === 1) return start({}, { stdio: "inherit" });
  const folder = mkdtempSync(join(tmpdir(), "tsbuilder-explore-"));
  const end = new AbortController();
  const shareOf = (index: number) => ({
    TSBUILDER_EXPLORE_SHARE: JSON.stringify({ index, count, folder }),
  });
  const help = async (index: number): Promise<void> => {
    await start(shareOf(index), { stdio: "ignore", cancelSignal: end.signal });
    if (!end.signal.aborted) writeFileSync(join(folder, `end ${index}`), "");
  };
  for (let index = 1; index < count; index++) void help(index);
  try {
    return await start(shareOf(0), { stdio: "inherit" });
  } finally {
    end.abort();
    // A process that is about to end may still write there.
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The environment and the files of a run of the project's tests. */
interface Exploring {
  readonly env: Readonly<Record<string, string>>;
  /** Filters of file names; empty for all tests. */
  readonly files: readonly string[];
}

/** Reads the flags. Without `--explore`, all tests run, exploring ones for a moment; throws if one of its flags is given. */
export function readExploring(
  flags: {
    readonly explore: boolean;
    readonly time: string;
    readonly seed?: number | undefined;
    readonly from?: string | undefined;
  },
  given: ReadonlySet<string>,
): Exploring {
  const { explore, time, seed = newSeed(), from } = flags;
  if (explore)
    return {
      env: {
        TSBUILDER_EXPLORE_TIME: time,
        TSBUILDER_EXPLORE_SEED: String(seed),
        ...(from !== undefined && { TSBUILDER_EXPLORE_FROM: from }),
        // Node takes the last of two options: the user's own come last.
        NODE_OPTIONS: `${exploringHeap} ${process.env["NODE_OPTIONS"] ?? ""}`.trim(),
      },
      files: [exploringTests],
    };
  const flag = ["time", "seed", "from"].find((name) => given.has(name));
  if (flag !== undefined) throw invalidArgument(`--${flag} says how to explore`, "add --explore");
  return { env: {}, files: [] };
}

/** Returns a random seed, a multiple of four: four successive seeds run the same steps of the user. */
function newSeed(): number {
  return 4 * Math.ceil(Math.random() * 1_000_000);
}

/** Returns the environment variable that names the binaries of a real API server to the test kit. */
async function realServerEnvironment(ui: Ui): Promise<{ TSBUILDER_TEST_ASSETS: string }> {
  const { findAssets } = await import("../../../dev/envtest/find-assets.ts");
  const assets = await findAssets(process.env["KUBEBUILDER_ASSETS"]);
  ui.note(`Each suite starts kube-apiserver and etcd from ${assets}`);
  return { TSBUILDER_TEST_ASSETS: resolve(assets) };
}

/** Throws unless the project has a script `test` that does not run this command again. */
function refuseEndlessScript(root: string): void {
  const { scripts } = readJsonObject("package.json", diskTree(root).read("package.json") ?? "{}");
  const script = isObject(scripts) ? scripts["test"] : undefined;
  if (typeof script === "string" && !script.includes("tsbuilder test")) return;
  throw new TsbuilderError(
    script === undefined
      ? 'package.json has no script "test"'
      : 'the script "test" in package.json runs tsbuilder test, which would never end',
    { code: "INVALID_PROJECT", hint: 'add to its scripts: "test": "vitest run"' },
  );
}
