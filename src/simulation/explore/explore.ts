import {
  type Fault,
  type MistakeClass,
  type Scenario,
  type Step,
  type Verdict,
  readScenario,
  refOf,
  refText,
} from "../contract/index.ts";
import { withVirtualGlobals } from "../globals/index.ts";
import { Random } from "../random/index.ts";
import { CrashCoverage, type CrashPoints } from "./crash-points.ts";
import { drawFaults } from "./draw-faults.ts";
import { type Baseline, type Finding, baselineOf, examine } from "./examine.ts";
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

/** Finds what a scenario shows: without its faults first. */
async function findIn(scenario: Scenario): Promise<Finding | undefined> {
  const baseline = await baselineOf(scenario);
  const [found] = baseline.findings;
  if (found || !scenario.faults?.length) return found;
  return (await examine(scenario, baseline)).findings[0];
}

/** Omits faults and steps, and makes numbers smaller, as long as the same is wrong. `isOver` is asked before each try. */
async function shrink(finding: Finding, isOver: () => boolean): Promise<Finding> {
  let best = finding;
  for (let progress = true; progress;) {
    progress = false;
    for (const smaller of smallerThan(best.scenario)) {
      if (isOver()) return best;
      const found = await findIn(smaller);
      if (found?.class !== finding.class) continue;
      best = found;
      progress = true;
      break;
    }
  }
  return best;
}

/** Scenarios with a bit less, the largest cuts first. */
function* smallerThan(scenario: Scenario): Generator<Scenario> {
  const { faults = [], steps = [] } = scenario;
  for (let size = steps.length >> 1; size > 1; size >>= 1)
    for (let at = steps.length - size; at >= 0; at -= size)
      yield { ...scenario, steps: withoutSteps(steps, at, size) };
  for (let at = faults.length - 1; at >= 0; at--) yield { ...scenario, faults: without(faults, at, 1) };
  for (let at = steps.length - 1; at >= 0; at--) yield { ...scenario, steps: withoutSteps(steps, at, 1) };
  for (const [at, fault] of faults.entries())
    for (const simpler of simplerThan(fault)) yield { ...scenario, faults: faults.with(at, simpler) };
}

function without<T>(list: readonly T[], at: number, size: number): T[] {
  return list.filter((_, index) => index < at || index >= at + size);
}

/** The steps that stay are taken when they were. */
function withoutSteps(steps: readonly Step[], at: number, size: number): Step[] {
  const lost = steps.slice(at, at + size).reduce((sum, step) => sum + afterOf(step), 0);
  return without(steps, at, size).map((step, index) =>
    index === at && step.do !== "settle" ? { ...step, after: afterOf(step) + lost } : step,
  );
}

function afterOf(step: Step): number {
  return step.do === "settle" ? 0 : (step.after ?? 0);
}

function* simplerThan(fault: Fault): Generator<Fault> {
  if (fault.fault !== "crash") return;
  const { lag, ...rest } = fault;
  if (lag !== undefined) yield rest;
  if (fault.down > 500) yield { ...fault, down: 500 };
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

/** Classes that say it all, whatever brings them about. */
const plain = new Set<Finding["class"]>([
  "hot-loop",
  "fight",
  "hang",
  "foreign-object",
  "forbidden",
  "without-lease",
  "conditions",
]);

/** Names a mistake after what is left once everything else was left out. */
function classify({ class: found, scenario, run }: Finding): MistakeClass {
  const { faults = [], steps = [] } = scenario;
  const kinds = new Set(faults.map(({ fault }) => fault));
  const isStale = faults.some((fault) => fault.fault === "crash" && fault.lag !== undefined);
  const applied = new Set(
    steps.flatMap((step) => (step.do === "apply" ? [refText(refOf(step.object))] : [])),
  );
  if (found !== "differs" && (plain.has(found) || faults.length === 0)) {
    return (found === "hot-loop" || found === "fight") && applied.size > 1 && faults.length === 0
      ? "collision"
      : found;
  }
  if (isStale) return "stale-view";
  if (kinds.has("crash") || kinds.has("suspend") || kinds.has("clock") || kinds.has("lease"))
    return "interrupted";
  if (kinds.has("hold") || kinds.has("break") || kinds.has("expire") || kinds.has("cut"))
    return "missed-event";
  if (kinds.has("refuse") || kinds.has("webhook")) return "unretried";
  if (kinds.has("delete-child") || kinds.has("edit-child") || kinds.has("recreate-child")) return "drift";
  if (steps.some((step) => step.do !== "settle" && step.strange) || run.rejected.length > 0) return "stuck";
  return applied.size > 1 ? "collision" : "history";
}
