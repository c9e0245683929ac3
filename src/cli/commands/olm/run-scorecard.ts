import { TsbuilderError } from "../../../shared/errors.ts";
import { join } from "node:path";
import type { Trial } from "../../../dev/trial/trial.ts";
import type { ScorecardTest, TestWithResults } from "../../../olm/scorecard/test-list.ts";
import {
  customTestFile,
  findCustomTests,
  withOutcomes,
  readTests,
  selectTests,
} from "../../../olm/scorecard/test-list.ts";
import { examplesOf, looksAtObjects, runTest } from "../../../olm/scorecard/run-tests.ts";
import { readBundle } from "../../../olm/validate/bundle.ts";
import { hasWebhooks } from "../../../project/project.ts";
import { diskTree, everythingBelow } from "../../../scaffold/tree.ts";
import { trace } from "../../../shared/trace.ts";
import type { ClusterChoice } from "../../../ship/cluster/kubectl.ts";
import { announceTarget } from "../../arguments/cluster-flags.ts";
import { openProject } from "../../project/open-project.ts";
import { describeError } from "../../reporting/explain-error.ts";
import { type Ui, stopSignal } from "../../reporting/report.ts";
import { isInside } from "../../../shared/files.ts";
import { findProjectRoot } from "../../../project/store.ts";

/** The name of a bundle's folder, and the folder `root` that contains it. */
interface BundlePlace {
  readonly root: string;
  readonly folder: string;
}

interface ChosenTests {
  readonly tests: readonly ScorecardTest[];
  /** The root of the project that the bundle belongs to, if any. */
  readonly project: string | undefined;
}

interface TestChoice {
  readonly cwd: string;
  /** The configuration's file; undefined for the one in the bundle. */
  readonly config: string | undefined;
  /** A label selector. */
  readonly selector: string;
}

/** Selects tests of the bundle's configuration, and of the project around `cwd` if it contains the bundle. */
export function chooseTests(
  { root, folder }: BundlePlace,
  { cwd, config, selector }: TestChoice,
): ChosenTests {
  const found = findProjectRoot(cwd);
  const project = found !== undefined && isInside(found, root) ? found : undefined;
  const all = [
    ...readTests(everythingBelow(root), folder, config),
    ...(project === undefined ? [] : findCustomTests(diskTree(project))),
  ];
  return { tests: all.filter(selectTests(selector)), project };
}

interface RunOptions {
  /** Undefined for the embedded cluster. */
  readonly cluster: ClusterChoice | undefined;
  /** The namespace for the examples; undefined for that of the context. */
  readonly namespace: string | undefined;
  /** How long to wait for the operator to write the status of the examples. */
  readonly seconds: number;
  /** Keeps the created examples. */
  readonly keep: boolean;
  readonly ui: Ui;
}

/** Runs tests of a bundle; those that look at objects, against a cluster with the operator. The project's own tests come last. */
export async function runTests(
  place: BundlePlace,
  { tests, project }: ChosenTests,
  options: RunOptions,
): Promise<TestWithResults[]> {
  const tree = everythingBelow(place.root);
  const { bundle } = readBundle(tree, place.folder);
  const { objects, problems } = examplesOf(bundle);
  const needsObjects = tests.some((test) => looksAtObjects(test) || customTestFile(test) !== undefined);
  const trial = needsObjects ? await openTrial(project, options) : undefined;
  try {
    const observed = await trial?.observe(objects, { seconds: options.seconds, signal: trial.signal });
    const context = {
      tree,
      folder: place.folder,
      bundle,
      examples: observed?.examples ?? objects.map((object) => ({ object, made: [] })),
      problems: [...problems, ...(observed?.refused ?? [])],
      isRunning: trial !== undefined,
    };
    const results: TestWithResults[] = [];
    for (const test of tests) {
      if (customTestFile(test) === undefined) results.push(await runTest(test, context));
    }
    return [...results, ...(await runCustomTests(place, { tests, project }, trial))];
  } finally {
    await trial?.stop(options.keep);
  }
}

/** A trial that a signal stops and cleans up. */
interface StoppableTrial extends Trial {
  readonly signal: AbortSignal;
}

/** Starts the operator of the project at `root`, or joins a cluster. Yields nothing if there is neither. */
async function openTrial(
  root: string | undefined,
  { cluster, namespace, keep, ui }: RunOptions,
): Promise<StoppableTrial | undefined> {
  if (root === undefined && !cluster) {
    ui.note("This bundle belongs to no project: its examples are checked as they are, without the operator.");
    return undefined;
  }
  const { joinCluster, startTrial } = await import("../../../dev/trial/trial.ts");
  const signal = abortOnStop();
  const cleanup = keep ? "" : "what was created is deleted first. ";
  signal.addEventListener("abort", () => ui.note(`Stopping: ${cleanup}Ctrl-C again ends at once`), {
    once: true,
  });
  if (cluster) {
    await announceTarget(cluster, ui, { action: "Creating the examples", namespace });
    return { ...(await joinCluster(cluster, namespace)), signal };
  }
  const { project, tree } = openProject(root!, ui);
  ui.note("Running the operator on an embedded cluster");
  const trial = await startTrial(
    { root: root!, projectName: project.projectName, hasWebhooks: project.resources.some(hasWebhooks) },
    (event) => {
      if (event.type === "operator") trace(`operator: ${event.line}`);
      if (event.type === "error") ui.note(describeError(event.error, (file) => tree.read(file)));
    },
  );
  return { ...trial, signal };
}

/** Returns a signal that SIGINT or SIGTERM aborts, for work that cleans up before the command fails. */
function abortOnStop(): AbortSignal {
  const controller = new AbortController();
  void stopSignal().then((signal) => {
    controller.abort(
      new TsbuilderError(`stopped by ${signal}`, { code: "INTERRUPTED", hint: "run the command again" }),
    );
  });
  return controller.signal;
}

async function runCustomTests(
  place: BundlePlace,
  { tests, project }: ChosenTests,
  trial: StoppableTrial | undefined,
): Promise<TestWithResults[]> {
  const custom = tests.filter((test) => customTestFile(test) !== undefined);
  if (custom.length === 0 || project === undefined || !trial) return [];
  const { runTestFiles } = await import("../../../dev/trial/run-test-files.ts");
  const files = await runTestFiles(
    project,
    custom.map((test) => customTestFile(test)!),
    {
      folder: trial.folder,
      signal: trial.signal,
      env: {
        KUBECONFIG: trial.kubeconfig,
        TSBUILDER_BUNDLE: join(place.root, place.folder),
        TSBUILDER_NAMESPACE: trial.namespace,
      },
    },
  );
  const none = { outcomes: [], skipped: 0 };
  return custom.map((test: ScorecardTest) =>
    withOutcomes(test, files.find(({ path }) => path === customTestFile(test)) ?? none),
  );
}
