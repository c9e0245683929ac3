import { join } from "node:path";
import type { Trial } from "../../dev/trial.ts";
import {
  type ScorecardTest,
  type TestWithResults,
  fileOf,
  withOutcomes,
} from "../../olm/scorecard/test-list.ts";
import { examplesOf, looksAtObjects, runTest } from "../../olm/scorecard/run-tests.ts";
import { readBundle } from "../../olm/validate/bundle.ts";
import { hasWebhooks } from "../../project/project.ts";
import { everythingBelow } from "../../scaffold/tree.ts";
import { trace } from "../../shared/trace.ts";
import type { ClusterChoice } from "../../ship/cluster/kubectl.ts";
import { announceTarget } from "../cluster-flags.ts";
import { openProject } from "../open-project.ts";
import { describeError } from "../report.ts";
import { stopAbort } from "../stop-signal.ts";
import type { Ui } from "../ui.ts";
import type { BundlePlace, ChosenTests } from "./choose-tests.ts";

interface RunOptions {
  /** undefined for the embedded cluster. */
  readonly cluster: ClusterChoice | undefined;
  readonly namespace: string | undefined;
  readonly seconds: number;
  readonly keep: boolean;
  readonly ui: Ui;
}

/** A trial that stops what it creates and runs once a signal comes. */
interface StoppableTrial extends Trial {
  readonly signal: AbortSignal;
}

/** Runs tests of a bundle; those that look at objects see them in a cluster where the operator runs. */
export async function runChosen(
  place: BundlePlace,
  { tests, project }: ChosenTests,
  options: RunOptions,
): Promise<TestWithResults[]> {
  const tree = everythingBelow(place.root);
  const { bundle } = readBundle(tree, place.folder);
  const { objects, problems } = examplesOf(bundle);
  const needsObjects = tests.some((test) => looksAtObjects(test) || fileOf(test) !== undefined);
  const trial = needsObjects ? await openTrial(project, options) : undefined;
  try {
    const observed = await trial?.observe(objects, {
      seconds: options.seconds,
      signal: trial.signal,
    });
    const checked = {
      tree,
      folder: place.folder,
      bundle,
      examples: observed?.examples ?? objects.map((object) => ({ object, made: [] })),
      problems: [...problems, ...(observed?.refused ?? [])],
      isRunning: trial !== undefined,
    };
    const ran: TestWithResults[] = [];
    for (const test of tests) {
      if (fileOf(test) === undefined) ran.push(await runTest(test, checked));
    }
    return [...ran, ...(await runFiles(place, { tests, project }, trial))];
  } finally {
    await trial?.stop(options.keep);
  }
}

async function openTrial(
  root: string | undefined,
  { cluster, namespace, keep, ui }: RunOptions,
): Promise<StoppableTrial | undefined> {
  if (root === undefined && !cluster) {
    ui.note("This bundle belongs to no project: its examples are checked as they are, without the operator.");
    return undefined;
  }
  const { joinCluster, startTrial } = await import("../../dev/trial.ts");
  const signal = stopAbort();
  const then = keep ? "" : "what was created is deleted first. ";
  signal.addEventListener("abort", () => ui.note(`Stopping: ${then}Ctrl-C again ends at once`), {
    once: true,
  });
  if (cluster) {
    await announceTarget(cluster, ui, { action: "Creating the examples", namespace });
    return { ...(await joinCluster(cluster, namespace)), signal };
  }
  const { project, tree } = openProject(root!, ui);
  const isServing = project.resources.some(hasWebhooks);
  ui.note("Running the operator on an embedded cluster");
  const trial = await startTrial(
    { root: root!, projectName: project.projectName, hasWebhooks: isServing },
    (event) => {
      if (event.type === "operator") trace(`operator: ${event.line}`);
      if (event.type === "error") ui.note(describeError(event.error, (file) => tree.read(file)));
    },
  );
  return { ...trial, signal };
}

async function runFiles(
  place: BundlePlace,
  { tests, project }: ChosenTests,
  trial: StoppableTrial | undefined,
): Promise<TestWithResults[]> {
  const custom = tests.filter((test) => fileOf(test) !== undefined);
  if (custom.length === 0 || project === undefined || !trial) return [];
  const { runTestFiles } = await import("../../dev/run-test-files.ts");
  const files = await runTestFiles(
    project,
    custom.map((test) => fileOf(test)!),
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
  return custom.map((test: ScorecardTest) =>
    withOutcomes(test, files.find(({ path }) => path === fileOf(test)) ?? { outcomes: [], skipped: 0 }),
  );
}
