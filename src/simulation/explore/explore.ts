import { readScenario, type Scenario, type Step, type Verdict } from "../contract/index.ts";
import { withVirtualGlobals } from "../globals/index.ts";
import { Random } from "../random/index.ts";
import { classify } from "./classify.ts";
import { CrashCoverage, type CrashPoints } from "./crash-points.ts";
import { drawFaults } from "./draw-faults.ts";
import { type Baseline, baselineOf, examine, type Finding } from "./examine.ts";
import { findIn, shrink } from "./shrink.ts";
import { pauseOf } from "../world/index.ts";
import { storyOf } from "./story.ts";
import { scenarioReplay, testOf } from "./test-file.ts";

/** How far to explore. */
export interface ExploreOptions {
  /** Default: 100. */
  readonly seeds?: number;
  /** The first seed. Default: 1. */
  readonly from?: number;
  /** Stop after this many milliseconds of real time. Default: no limit. */
  readonly time?: number;
  /** How many smaller scenarios are tried: no time, so that every machine comes to the same end. Default: 200. */
  readonly shrinks?: number;
}

/** What is wrong, with the smallest scenario that shows it. */
export interface Failure {
  /** The seed of the exploration that found it. The scenario has one of its own, which replays it. */
  readonly seed: number;
  readonly verdict: Verdict;
  readonly scenario: Scenario;
  /** For a person to read. */
  readonly story: string;
  /** A test that replays it. */
  readonly test: string;
}

/** What an exploration found. */
export interface Exploration {
  /** How many disturbed runs were made. */
  readonly runs: number;
  readonly failure: Failure | undefined;
  readonly crashPoints: CrashPoints;
}

/** This many seeds share their steps, and so the undisturbed runs that theirs are compared with. */
export const seedsPerPlan = 10;

/**
 * Runs a scenario with faults that the seeds decide, and compares each outcome with that of an undisturbed run, and that
 * with a fresh start. A function makes the scenario of each plan. Stops at the first failure, and shrinks it.
 */
export function explore(
  make: Scenario | ((random: Random) => Scenario),
  options: ExploreOptions = {},
): Promise<Exploration> {
  // Once for all runs: each would replace dozens of functions, and put them back.
  return withVirtualGlobals(() => exploreAll(make, options));
}

async function exploreAll(
  make: Scenario | ((random: Random) => Scenario),
  { seeds = 100, from = 1, time = Infinity, shrinks = 200 }: ExploreOptions,
): Promise<Exploration> {
  const start = performance.now();
  let plan: { readonly number: number; readonly scenario: Scenario; readonly baseline: Baseline } | undefined;
  let runs = 0;
  const coverage = new CrashCoverage();
  for (let seed = from; seed < from + seeds && performance.now() - start < time; seed++) {
    const number = Math.floor(seed / seedsPerPlan);
    if (plan?.number !== number) {
      const made = typeof make === "function" ? make(new Random(number).fork("scenario")) : make;
      const scenario = readScenario(made);
      const planned = { ...scenario, steps: timed(scenario.steps ?? [], new Random(number)), seed: number };
      plan = { number, scenario: planned, baseline: await baselineOf(planned) };
      coverage.add(plan.baseline.plain);
    }
    const { scenario, baseline } = plan;
    let [finding] = baseline.findings;
    if (!finding) {
      const faults = [
        ...(scenario.faults ?? []),
        ...drawFaults(new Random(seed).fork("faults"), baseline.plain, scenario.operators),
      ];
      const examined = await examine({ ...scenario, faults, seed: number }, baseline);
      [finding] = examined.findings;
      coverage.add(examined.run);
      runs++;
    }
    if (finding) {
      let tries = 0;
      const isOver = (): boolean => tries++ >= shrinks;
      const failure = failureOf(await shrink(finding, isOver), seed);
      return { runs, failure, crashPoints: coverage.points };
    }
  }
  return { runs, failure: undefined, crashPoints: coverage.points };
}

/** Fixes the time of each step, so that a step that is left out doesn't move the others. */
function timed(steps: readonly Step[], random: Random): Step[] {
  return steps.map((step) => {
    const after = step.do === "settle" ? undefined : (step.after ?? pauseOf(random));
    return step.do === "settle" ? step : { ...step, after: Math.round(after!) };
  });
}

/** Runs one scenario with its faults, and without; returns what is wrong, if anything is. */
export async function examineScenario(scenario: Scenario): Promise<Failure | undefined> {
  const finding = await findIn(readScenario(scenario));
  return finding && failureOf(finding, scenario.seed ?? 1);
}

function failureOf(finding: Finding, seed: number): Failure {
  const name = classify(finding);
  const { message, objects, scenario } = finding;
  return {
    seed,
    verdict: { class: name, message, objects },
    scenario,
    story: storyOf(finding, name),
    test: testOf(scenario, name, scenario.seed ?? 1, scenarioReplay(scenario.seed ?? 1)),
  };
}
