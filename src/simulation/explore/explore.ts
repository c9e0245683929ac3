// Many seeds of one scenario. Begin with `explore()`, the loop: it draws faults (`draw-faults.ts`), compares disturbed runs with
// undisturbed ones (`examine.ts`), shrinks the first failure, names its class (`classify.ts`), and tells its story (`story.ts`, `advice.ts`).

import type { Fault, Run, Verdict } from "../contract/index.ts";
import { type Scenario, type Step, appliedIn, readScenario } from "../contract/scenario.ts";
import { refText, refTextOf } from "../contract/state.ts";
import { withVirtualGlobals } from "../globals/virtual-globals.ts";
import { Random } from "@tsbuilder/apimachinery/sample";
import { faultText } from "../world/fault-plan.ts";
import { pauseOf } from "../world/user.ts";
import { Coverage, type Reached } from "./coverage.ts";
import { classify, isRestartWork } from "./classify.ts";
import { drawFaults } from "./draw-faults.ts";
import { type Baseline, Baselines, type Finding, baselineOf, examine, findIn, withSeed } from "./examine.ts";
import { scenarioReplay, testOf } from "./replay-test.ts";
import { tell } from "./story.ts";

/** Options of an exploration. */
export interface ExploreOptions {
  /** The number of seeds, of which each makes one disturbed run. Default: 100. */
  readonly seeds?: number;
  /** The first seed. Default: 1. */
  readonly from?: number;
  /** Milliseconds of real time after which no further seed is tried. Default: no limit. */
  readonly time?: number;
  /** Milliseconds of processor time after which no further seed is tried. Default: no limit. */
  readonly processorTime?: number;
  /** The number of smaller scenarios to try. It is no time, so that every machine finds the same failure. Default: 200. */
  readonly shrinks?: number;
}

/** A mistake, with the smallest scenario that shows it. */
export interface Failure {
  /** The seed of the exploration. The scenario has a seed of its own, which replays it. */
  readonly seed: number;
  readonly verdict: Verdict;
  readonly scenario: Scenario;
  /** The mistake, how it came about, and the lines of code that it is about: one screen. */
  readonly story: string;
  /** All events of the run, line by line. */
  readonly trace: string;
  /** A test that replays it. */
  readonly test: string;
}

/** The result of an exploration. */
export interface Exploration extends Reached {
  /** The number of disturbed runs. */
  readonly runs: number;
  readonly failure: Failure | undefined;
}

/**
 * Runs a scenario with faults that the seeds decide, and compares each outcome with that of a run without faults. The latter
 * is compared with a fresh start. Stops at the first failure, and shrinks it. If `make` is a function, it draws a scenario for
 * every four seeds.
 */
export function explore(make: Scenario | ScenarioMaker, options: ExploreOptions = {}): Promise<Exploration> {
  return exploreShare(make, options, everything);
}

/** The part of the plans that a process explores, while other processes explore the others. */
export interface Share {
  has(plan: number): boolean;
  /** Tells the others that a seed shows a mistake: they need not try later ones. */
  noteFailure(seed: number): void;
  /** Returns whether another process found a mistake at an earlier seed. */
  isOver(seed: number): boolean;
  /** Returns true for a mistake that has been told: it doesn't end the exploration. Default: none has. */
  readonly isKnown?: (finding: Finding) => boolean;
}

const everything: Share = { has: () => true, noteFailure: () => {}, isOver: () => false };

/** Explores a share of the plans. */
export function exploreShare(
  make: Scenario | ScenarioMaker,
  options: ExploreOptions,
  share: Share | undefined = everything,
): Promise<Exploration> {
  // Once for all runs, since replacing dozens of functions takes time.
  return withVirtualGlobals(() => explorePlans(make, options, share));
}

/**
 * The number of seeds that share a plan: its steps, and the undisturbed runs that theirs are compared with. More of them make a run
 * cheaper, and plans fewer: with 16, 34 of the 60 defects of the lab were found in 10 s each; with 4, 42; with 2, 40.
 */
export const seedsPerPlan = 4;

/** Makes the scenario of a plan. Plans that take turns need the number. */
export type ScenarioMaker = (random: Random, plan: number) => Scenario;

async function explorePlans(
  make: Scenario | ScenarioMaker,
  { seeds = 100, from = 1, time = Infinity, processorTime = Infinity, shrinks = 200 }: ExploreOptions,
  share: Share,
): Promise<Exploration> {
  const start = performance.now();
  const usage = process.cpuUsage();
  const isTime = (): boolean => {
    const { user, system } = process.cpuUsage(usage);
    return performance.now() - start < time && (user + system) / 1000 < processorTime;
  };
  let plan: { readonly number: number; readonly scenario: Scenario; readonly baseline: Baseline } | undefined;
  let runs = 0;
  const coverage = new Coverage();
  for (let seed = from; seed < from + seeds && isTime() && !share.isOver(seed); seed++) {
    const number = Math.floor(seed / seedsPerPlan);
    if (!share.has(number)) continue;
    if (plan?.number !== number) {
      const made = typeof make === "function" ? make(new Random(number).fork("scenario"), number) : make;
      const scenario = readScenario(made);
      const planned = {
        ...scenario,
        steps: fixTimes(scenario.steps ?? [], new Random(number)),
        seed: number,
      };
      plan = { number, ...(await carriedOut(planned)) };
      coverage.addPlan(plan.scenario);
      coverage.addRun(plan.baseline.plain);
    }
    const { scenario, baseline } = plan;
    const isOfRelease = scenario.operators.some(({ next }) => next);
    let [finding] = baseline.findings;
    // It is known only to be compared with: its own mistakes are out.
    if (finding && (isOfRelease || share.isKnown?.(finding))) continue;
    if (!finding) {
      const faults = [
        ...(scenario.faults ?? []),
        ...drawFaults(new Random(seed).fork("faults"), baseline.plain, scenario.operators, seed),
      ];
      const examined = await examine({ ...scenario, faults, seed: number }, baseline);
      finding = examined.findings.find((one) => !share.isKnown?.(one));
      coverage.addRun(examined.run);
      runs++;
    }
    if (finding) {
      share.noteFailure(seed);
      let tries = 0;
      const isExhausted = (): boolean => tries++ >= shrinks || share.isOver(seed);
      const smallest = await shrink(finding, isExhausted);
      if (isOfRelease && (await isOfRestart(smallest))) continue;
      const failure = await failureOf(smallest, seed);
      return { runs, failure, ...coverage.reached };
    }
  }
  return { runs, failure: undefined, ...coverage.reached };
}

/** Returns whether a release that is rolled back has a mistake without that, or makes it as well if it only starts again. */
async function isOfRestart({ scenario, ...finding }: Finding): Promise<boolean> {
  if (!scenario.faults?.some(({ fault }) => fault === "rollback")) return true;
  const operators = scenario.operators.map((operator) =>
    operator.next ? { ...operator, next: { setup: operator.setup } } : operator,
  );
  const found = await findIn({ ...scenario, operators });
  return found !== undefined && isSameMistake(found, { scenario, ...finding });
}

/**
 * Returns a scenario with its undisturbed run. If a webhook kept a user from correcting what no operator can carry out, as one
 * does that admits no older version, the user never asks for it.
 */
async function carriedOut(
  scenario: Scenario,
): Promise<{ readonly scenario: Scenario; readonly baseline: Baseline }> {
  const baseline = await baselineOf(scenario);
  if (endsStrange(scenario) || !endsStrange(scenario, baseline.plain)) return { scenario, baseline };
  const steps = scenario.steps?.filter((step) => step.do === "settle" || !step.strange);
  const careful = { ...scenario, ...(steps && { steps }) };
  return { scenario: careful, baseline: await baselineOf(careful) };
}

/** The longest pause before a step, in milliseconds: enough for Jobs and rollouts to end. */
const longestPause = 600_000;

/**
 * Fixes the time of each step, so that leaving one out doesn't move the others. Some users come back after minutes, but not while
 * something is asked for that no operator can carry out: its errors are excused for a while only.
 */
function fixTimes(steps: readonly Step[], random: Random): Step[] {
  const strange = new Set<string>();
  return steps.map((step) => {
    if (step.do === "settle") return step;
    const pause = strange.size === 0 && random.chance(0.15) ? random.next() * longestPause : pauseOf(random);
    const key = step.do === "apply" ? refTextOf(step.object) : refText(step.target);
    if (step.strange) strange.add(key);
    else strange.delete(key);
    return { ...step, after: Math.round(step.after ?? pause) };
  });
}

/** Runs one scenario without its faults, and with them. Returns the failure, if there is one. */
export async function examineScenario(scenario: Scenario): Promise<Failure | undefined> {
  const finding = await findIn(readScenario(scenario));
  return finding && (await failureOf(finding, scenario.seed ?? 1));
}

/** The number of plays that go on side by side. */
const playsAtOnce = 4;

/** Plays a scenario again. Returns the mistakes that the plays show. */
export async function playScenario(scenario: Scenario, plays: number): Promise<Finding[]> {
  const read = readScenario(scenario);
  const baselines = new Baselines();
  const isDisturbed = (read.faults ?? []).length > 0;
  const play = (): Promise<Finding | undefined> => findIn(read, isDisturbed ? baselines : undefined);
  const atOnce = read.operators.every(({ program }) => program?.runsSideBySide) ? playsAtOnce : 1;
  const found: (Finding | undefined)[] = [];
  while (found.length < plays)
    found.push(...(await Promise.all(Array.from({ length: Math.min(atOnce, plays - found.length) }, play))));
  return found.flatMap((finding) => finding ?? []);
}

export async function failureOf(finding: Finding, seed: number): Promise<Failure> {
  const mistake = await classify(finding);
  const { message, objects, scenario } = finding;
  return {
    seed,
    verdict: { class: mistake, message, objects },
    scenario,
    ...(await tell(finding, mistake)),
    test: testOf(scenario, mistake, scenario.seed ?? 1, scenarioReplay(scenario.seed ?? 1)),
  };
}

/** The number of other seeds with which a mistake may show without faults: these often do no more than move what happens. */
const seedsWithoutFaults = 8;

/** Omits and simplifies faults and steps as long as the mistake stays the same. `isExhausted` is called before each try. */
async function shrink(finding: Finding, isExhausted: () => boolean): Promise<Finding> {
  let best = finding;
  const baselines = new Baselines();
  // Runs of processes of their own are never the same, whatever the seed.
  const isSeeded = finding.scenario.operators.every(({ program }) => !program);
  if (finding.scenario.faults?.length && isSeeded)
    for (let other = 1; other <= seedsWithoutFaults && !isExhausted(); other++) {
      const found = await findIn({ ...withSeed(finding.scenario, other * 1000), faults: [] });
      if (!found || !isSameMistake(found, finding)) continue;
      best = found;
      break;
    }
  // Some faults never met what they were aimed at.
  const struck = new Set(best.run.trace.flatMap((event) => (event.type === "fault" ? [event.text] : [])));
  const { faults = [] } = best.scenario;
  const met = faults.filter((fault) => struck.has(faultText(fault)));
  if (met.length < faults.length && !isExhausted()) {
    const found = await findIn({ ...best.scenario, faults: met }, baselines);
    if (found && isSameMistake(found, finding)) best = found;
  }
  for (let progress = true; progress;) {
    progress = false;
    for (const smaller of smallerScenarios(best.scenario)) {
      // Its outcome would rightly depend on the past: a rollout that can't succeed leaves what was there before, if anything was.
      if (endsStrange(smaller) && !endsStrange(finding.scenario)) continue;
      if (isExhausted()) return best;
      const found = await findIn(smaller, baselines);
      if (!found || !isSameMistake(found, finding)) continue;
      best = found;
      progress = true;
      break;
    }
  }
  return best;
}

/** Returns whether two findings are of one mistake. What one restart finds to do, a later one finds, too. */
function isSameMistake(one: Finding, other: Finding): boolean {
  return one.class === other.class || (isRestartWork(one) && isRestartWork(other));
}

/** Yields smaller scenarios, those with the largest cuts first. */
function* smallerScenarios(scenario: Scenario): Generator<Scenario> {
  const { faults = [], steps = [] } = scenario;
  if (faults.length === 0) yield* onePatientUser(scenario);
  for (let size = steps.length >> 1; size > 1; size >>= 1)
    for (let at = steps.length - size; at >= 0; at -= size)
      yield { ...scenario, steps: omitSteps(steps, at, size) };
  for (let at = faults.length - 1; at >= 0; at--) yield { ...scenario, faults: omit(faults, at, 1) };
  for (let at = steps.length - 1; at >= 0; at--) yield { ...scenario, steps: omitSteps(steps, at, 1) };
  for (const [at, fault] of faults.entries())
    for (const milder of milderFaults(fault)) yield { ...scenario, faults: faults.with(at, milder) };
}

/**
 * Yields scenarios of one of several objects, whose user waits for rest after each step. A mistake that one of them shows needs
 * neither another object nor a race.
 */
function* onePatientUser(scenario: Scenario): Generator<Scenario> {
  const { steps = [] } = scenario;
  const applied = new Set(appliedIn(steps).map(refTextOf));
  if (applied.size < 2) return;
  for (const object of applied) {
    const about = steps.filter(
      (step) =>
        step.do !== "settle" &&
        (step.do === "apply" ? refTextOf(step.object) : refText(step.target)) === object,
    );
    yield { ...scenario, steps: about.flatMap((step) => [step, { do: "settle" }]) };
  }
}

/** Returns whether something is left uncorrected that no operator can carry out. */
function endsStrange({ steps = [] }: Scenario, { rejected = [] }: Partial<Run> = {}): boolean {
  const last = new Map<string, Step>();
  for (const step of steps)
    if (step.do !== "settle" && !rejected.includes(step))
      last.set(step.do === "apply" ? refTextOf(step.object) : refText(step.target), step);
  return [...last.values()].some((step) => step.do !== "settle" && step.strange);
}

function omit<T>(list: readonly T[], at: number, size: number): T[] {
  return list.filter((_, index) => index < at || index >= at + size);
}

/** Omits steps. The others are still taken at their former times. */
function omitSteps(steps: readonly Step[], at: number, size: number): Step[] {
  const lost = steps.slice(at, at + size).reduce((sum, step) => sum + delayOf(step), 0);
  return omit(steps, at, size).map((step, index) =>
    index === at && step.do !== "settle" ? { ...step, after: delayOf(step) + lost } : step,
  );
}

function delayOf(step: Step): number {
  return step.do === "settle" ? 0 : (step.after ?? 0);
}

/** Yields milder faults than one. The mildest that still shows the mistake gives it its class. */
function* milderFaults(fault: Fault): Generator<Fault> {
  switch (fault.fault) {
    case "crash": {
      const { lag, of: _, ...rest } = fault;
      if (lag !== undefined) yield rest;
      if (fault.down > 500) yield { ...fault, down: 500 };
      return;
    }
    case "refuse":
      if (fault.done) yield { ...fault, done: false };
      return;
    case "call":
      if (fault.done && fault.with !== "slow") yield { ...fault, done: false };
      return;
    case "break":
    case "expire":
      yield { ...fault, fault: "hold" };
      return;
    case "cut":
    case "suspend": {
      for (const milder of ["hold", "lease"] as const) yield { ...fault, fault: milder };
    }
  }
}
