import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Random } from "@tsbuilder/apimachinery/sample";
import { parseDuration } from "@tsbuilder/apimachinery/time";
import type { Scenario } from "./contract/index.ts";
import type { Exploration, ExploreOptions, Failure } from "./explore/explore.ts";
import { examineScenario, exploreShare, seedsPerPlan } from "./explore/explore.ts";
import { testOf } from "./explore/replay-test.ts";
import { type ProjectExploration, projectScenario } from "./project-scenario.ts";
import { type Report, shareIn } from "./share.ts";

/**
 * Explores a controller of the project in the current folder, prints how far it came, and throws the story of the first
 * failure. It takes a moment, or as long as `tsbuilder test --explore --time 10m` says.
 */
export async function exploreProject(project: ProjectExploration): Promise<Exploration> {
  const { kind } = project;
  const budget = budgetOf(process.env);
  const share = shareIn(process.env, nameOf(project));
  const { make, release, from } = await projectScenario(project);
  const { failure, ...reached } = await exploreShare(make, budget, share);
  const own = {
    ...reached,
    failure: failure && {
      seed: failure.seed,
      text: textOf(project, failure, from(planOf(failure.seed))),
    },
  };
  const report = (await share?.join(own)) ?? own;
  const released = release === undefined ? "" : `; ${release}`;
  // oxlint-disable-next-line eslint/no-console -- the test runner shows it beside the test
  console.log(`${kind.kind}: ${summaryOf(report, budget)}${released}`);
  if (report.failure) throw new Error(report.failure.text);
  return { ...report, failure: undefined };
}

/** Names an exploration: alike in all processes, unlike another one of the same kind. Objects may have contents that are random. */
function nameOf({ objects: _objects, ...project }: ProjectExploration): string {
  const { plural, group } = project.kind;
  const text = JSON.stringify(project, (_, value: unknown) =>
    typeof value === "function" ? `${value.name} ${value.toString()}` : value,
  );
  return `${plural}.${group} ${createHash("sha256").update(text).digest("hex").slice(0, 8)}`;
}

/** Tells a failure, and how to see it again. */
function textOf(project: ProjectExploration, failure: Failure, from: string | undefined): string {
  const trace = writeTrace(project, failure);
  return `${failure.story}\n\nThe whole trace: ${trace}\n${howToReplay(project, failure, from)}`;
}

function planOf(seed: number): number {
  return Math.floor(seed / seedsPerPlan);
}

/** Writes the trace of a failure among the project's temporary files, which git ignores. Returns its path in the project. */
function writeTrace({ kind, folder = "." }: ProjectExploration, { seed, trace }: Failure): string {
  const path = `.tsbuilder/explore/${kind.kind.toLowerCase()}-${seed}.txt`;
  mkdirSync(join(folder, ".tsbuilder/explore"), { recursive: true });
  writeFileSync(join(folder, path), trace);
  return path;
}

/** Returns how far to explore: for a moment in `npm test`, and as long as `tsbuilder test --explore` says. */
export function budgetOf(env: Readonly<Record<string, string | undefined>>): ExploreOptions {
  const { TSBUILDER_EXPLORE_TIME: time, TSBUILDER_EXPLORE_SEED: from = "1" } = env;
  return time === undefined
    ? { seeds: 50, processorTime: 5000 }
    : { seeds: Infinity, time: parseDuration(time), from: Number(from) };
}

/** Describes an exploration in one line. */
export function summaryOf(
  { runs, failure, crashPoints, calls, unchanged }: Report,
  { from = 1, seeds = Infinity, processorTime = 0 }: ExploreOptions,
): string {
  const { all, missed } = crashPoints;
  const died = `processes died at ${all.length - missed.length} of ${all.length} kinds of writes`;
  const rest = missed.length > 0 ? `, but not at ${missed.join(", ")}` : "";
  const isCut = !failure && runs < seeds && processorTime > 0;
  const what = isCut ? `${runs} of ${seeds} disturbed runs` : `${runs} disturbed runs`;
  const cut = isCut ? `, as many as ${processorTime / 1000} s of processor time allow` : "";
  const missing = [
    ["; calls that never failed: ", calls.missed],
    ["; users never changed ", unchanged],
  ] as const;
  return `explored ${what} from seed ${from}${cut}; ${died}${rest}${missing.map(namedText).join("")}`;
}

/** The number of fields, or of calls, that a summary names. */
const mostNamed = 5;

function namedText([what, names]: readonly [string, readonly string[]]): string {
  if (names.length === 0) return "";
  const more = names.length - mostNamed;
  return `${what}${names.slice(0, mostNamed).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** A finding of `exploreProject()`, as the test that it prints passes it on. */
export interface ProjectFinding extends Pick<Scenario, "objects" | "steps" | "faults"> {
  /** The seed of the exploration that found it. */
  readonly seed: number;
}

/** Replays a finding of `exploreProject()`, which prints a test that calls this. Returns the failure, if there still is one. */
export async function examineProject(
  project: ProjectExploration,
  { seed, ...finding }: ProjectFinding,
): Promise<Failure | undefined> {
  const plan = planOf(seed);
  const { make } = await projectScenario(project);
  return examineScenario({ ...make(new Random(plan).fork("scenario"), plan), ...finding, seed: plan });
}

function howToReplay(
  { kind, setup }: ProjectExploration,
  { scenario, verdict, seed }: Failure,
  from: string | undefined,
): string {
  // It may have been shown without faults by the chance of another plan.
  const { seed: plan = 0 } = scenario;
  const replayed = planOf(seed) === plan ? seed : plan * seedsPerPlan;
  const setUp = setup.name === "" || setup.name === "setup" ? "setup" : `setup: ${setup.name}`;
  const release = from === undefined ? "" : `, former, from: ${JSON.stringify(from)}`;
  const replay = {
    head: `// Beside the exploring test, with its imports and the other options of its exploreProject().
import { examineProject } from "@tsbuilder/simulation";
import { expect } from "vitest";`,
    call: `examineProject({ kind: ${kind.kind}, ${setUp}${release} }, { objects, steps, faults, seed: ${replayed} })`,
  };
  return `To find it again: npx tsbuilder test --explore --seed ${seed}

A test that replays it:

${testOf(scenario, verdict.class, replayed, replay)}`;
}
