import { parseDuration } from "@tsbuilder/apimachinery/time";
import type { Scenario } from "../contract/index.ts";
import { seedsPerPlan } from "../explore/explore.ts";
import {
  type Exploration,
  type ExploreOptions,
  type Failure,
  examineScenario,
  explore,
} from "../explore/index.ts";
import { testOf } from "../explore/test-file.ts";
import { Random } from "../random/index.ts";
import { type ProjectExploration, projectScenario } from "./project-scenario.ts";

/**
 * Explores a controller of the project in the current folder, prints how far it came, and throws the story of the first
 * failure. It takes a moment, or as long as `tsbuilder test --explore --time 10m` says.
 */
export async function exploreProject(project: ProjectExploration): Promise<Exploration> {
  const budget = budgetOf(process.env);
  const exploration = await explore(await projectScenario(project), budget);
  // oxlint-disable-next-line eslint/no-console -- the test runner shows it beside the test
  console.log(`${project.kind.kind}: ${summaryOf(exploration, budget)}`);
  const { failure } = exploration;
  if (failure) throw new Error(`${failure.story}\n\n${howToReplay(project, failure)}`);
  return exploration;
}

/** How far a project's tests explore: a moment in `npm test`, and as long as `tsbuilder test --explore` says. */
export function budgetOf(env: Readonly<Record<string, string | undefined>>): ExploreOptions {
  const { TSBUILDER_EXPLORE_TIME: time, TSBUILDER_EXPLORE_SEED: from = "1" } = env;
  return time === undefined
    ? { seeds: 20, time: 3000 }
    : { seeds: Infinity, time: parseDuration(time), from: Number(from) };
}

/** What an exploration did, for a person to read. */
export function summaryOf({ runs, crashPoints }: Exploration, { from = 1 }: ExploreOptions): string {
  const { all, missed } = crashPoints;
  const died = `processes died at ${all.length - missed.length} of ${all.length} kinds of writes`;
  const rest = missed.length > 0 ? `, but not at ${missed.join(", ")}` : "";
  return `explored ${runs} disturbed runs from seed ${from}; ${died}${rest}`;
}

/** What a finding of `exploreProject()` consists of, besides the project. */
export interface ProjectFinding extends Pick<Scenario, "objects" | "steps" | "faults"> {
  /** The seed of the exploration that found it. */
  readonly seed: number;
}

/** Replays a finding of `exploreProject()`, which prints the test that does; returns what is wrong, if anything still is. */
export async function examineProject(
  project: ProjectExploration,
  { seed, ...finding }: ProjectFinding,
): Promise<Failure | undefined> {
  const plan = Math.floor(seed / seedsPerPlan);
  const make = await projectScenario(project);
  return examineScenario({ ...make(new Random(plan).fork("scenario")), ...finding, seed: plan });
}

function howToReplay({ kind, setup }: ProjectExploration, { scenario, verdict, seed }: Failure): string {
  const replay = {
    head: `// Beside the exploring test, with its imports and the other options of its exploreProject().
import { examineProject } from "@tsbuilder/simulation";
import { expect } from "vitest";`,
    call: `examineProject({ kind: ${kind.kind}, setup${setup.name === "" || setup.name === "setup" ? "" : `: ${setup.name}`} }, { objects, steps, faults, seed: ${seed} })`,
  };
  return `To find it again: npx tsbuilder test --explore --seed ${seed}

A test that replays it:

${testOf(scenario, verdict.class, seed, replay)}`;
}
