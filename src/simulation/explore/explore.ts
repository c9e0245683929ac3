// Many seeds of one scenario. Begin with `explore()`, the loop: it draws faults (`draw-faults.ts`), compares disturbed runs with
// undisturbed ones (`examine.ts`), shrinks the first failure, names its class, and tells its story (`story.ts`, `advice.ts`).

import type { Fault, MistakeClass, Run, Verdict } from "../contract/index.ts";
import { type Scenario, type Step, appliedIn, readScenario } from "../contract/scenario.ts";
import { refText, refTextOf } from "../contract/state.ts";
import { withVirtualGlobals } from "../globals/virtual-globals.ts";
import { Random } from "../random.ts";
import { pauseOf } from "../world/user.ts";
import { drawFaults } from "./draw-faults.ts";
import { type Baseline, type Finding, baselineOf, examine, findIn } from "./examine.ts";
import { scenarioReplay, storyOf, testOf } from "./story.ts";

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
  /** The events of the run and the mistake, for a person to read. */
  readonly story: string;
  /** A test that replays it. */
  readonly test: string;
}

/** The result of an exploration. */
export interface Exploration {
  /** The number of disturbed runs. */
  readonly runs: number;
  readonly failure: Failure | undefined;
  readonly crashPoints: CrashPoints;
}

/**
 * Runs a scenario with faults that the seeds decide, and compares each outcome with that of a run without faults. The latter
 * is compared with a fresh start. Stops at the first failure, and shrinks it. If `make` is a function, it draws a scenario for
 * every ten seeds.
 */
export function explore(
  make: Scenario | ((random: Random) => Scenario),
  options: ExploreOptions = {},
): Promise<Exploration> {
  // Once for all runs, since replacing dozens of functions takes time.
  return withVirtualGlobals(() => exploreAll(make, options));
}

/** The kinds of writes that the operators made, and those at which no process died. The name of the object doesn't count. */
export interface CrashPoints {
  /** All kinds of writes, such as `shop: PATCH ConfigMap`. */
  readonly all: readonly string[];
  readonly missed: readonly string[];
}

/** The number of seeds that share a plan: its steps, and the undisturbed runs that theirs are compared with. */
export const seedsPerPlan = 10;

async function exploreAll(
  make: Scenario | ((random: Random) => Scenario),
  { seeds = 100, from = 1, time = Infinity, processorTime = Infinity, shrinks = 200 }: ExploreOptions,
): Promise<Exploration> {
  const start = performance.now();
  const usage = process.cpuUsage();
  const isTime = (): boolean => {
    const { user, system } = process.cpuUsage(usage);
    return performance.now() - start < time && (user + system) / 1000 < processorTime;
  };
  let plan: { readonly number: number; readonly scenario: Scenario; readonly baseline: Baseline } | undefined;
  let runs = 0;
  const coverage = new CrashCoverage();
  for (let seed = from; seed < from + seeds && isTime(); seed++) {
    const number = Math.floor(seed / seedsPerPlan);
    if (plan?.number !== number) {
      const made = typeof make === "function" ? make(new Random(number).fork("scenario")) : make;
      const scenario = readScenario(made);
      const planned = {
        ...scenario,
        steps: fixTimes(scenario.steps ?? [], new Random(number)),
        seed: number,
      };
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
      const isExhausted = (): boolean => tries++ >= shrinks;
      const failure = failureOf(await shrink(finding, isExhausted), seed);
      return { runs, failure, crashPoints: coverage.points };
    }
  }
  return { runs, failure: undefined, crashPoints: coverage.points };
}

/** Fixes the time of each step, so that leaving one out doesn't move the others. */
function fixTimes(steps: readonly Step[], random: Random): Step[] {
  return steps.map((step) => {
    if (step.do === "settle") return step;
    return { ...step, after: Math.round(step.after ?? pauseOf(random)) };
  });
}

/** Runs one scenario without its faults, and with them. Returns the failure, if there is one. */
export async function examineScenario(scenario: Scenario): Promise<Failure | undefined> {
  const finding = await findIn(readScenario(scenario));
  return finding && failureOf(finding, scenario.seed ?? 1);
}

function failureOf(finding: Finding, seed: number): Failure {
  const mistake = classify(finding);
  const { message, objects, scenario } = finding;
  return {
    seed,
    verdict: { class: mistake, message, objects },
    scenario,
    story: storyOf(finding, mistake),
    test: testOf(scenario, mistake, scenario.seed ?? 1, scenarioReplay(scenario.seed ?? 1)),
  };
}

/** Omits and simplifies faults and steps as long as the mistake keeps its class. `isExhausted` is called before each try. */
async function shrink(finding: Finding, isExhausted: () => boolean): Promise<Finding> {
  let best = finding;
  for (let progress = true; progress;) {
    progress = false;
    for (const smaller of smallerScenarios(best.scenario)) {
      if (isExhausted()) return best;
      const found = await findIn(smaller);
      if (found?.class !== finding.class) continue;
      best = found;
      progress = true;
      break;
    }
  }
  return best;
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
    for (const simpler of simplerFaults(fault)) yield { ...scenario, faults: faults.with(at, simpler) };
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

function* simplerFaults(fault: Fault): Generator<Fault> {
  if (fault.fault !== "crash") return;
  const { lag, ...rest } = fault;
  if (lag !== undefined) yield rest;
  if (fault.down > 500) yield { ...fault, down: 500 };
}

/** Classes that name the mistake whatever the scenario is. */
const evidentClasses = new Set<Finding["class"]>([
  "hot-loop",
  "fight",
  "hang",
  "overdue",
  "foreign-object",
  "forbidden",
  "without-lease",
  "conditions",
]);

/** Names the class of a mistake, after the faults and steps that remain in the shrunk scenario. */
function classify({ class: found, scenario, run }: Finding): MistakeClass {
  const { faults = [], steps = [] } = scenario;
  const kinds = new Set(faults.map(({ fault }) => fault));
  const isStale = faults.some((fault) => fault.fault === "crash" && fault.lag !== undefined);
  const applied = new Set(appliedIn(steps).map(refTextOf));
  if (found !== "differs" && (evidentClasses.has(found) || faults.length === 0)) {
    return (found === "hot-loop" || found === "fight") && applied.size > 1 && faults.length === 0
      ? "collision"
      : found;
  }
  if (isStale) return "stale-view";
  if (kinds.has("crash") || kinds.has("suspend") || kinds.has("clock") || kinds.has("lease"))
    return "interrupted";
  if (kinds.has("hold") || kinds.has("break") || kinds.has("expire") || kinds.has("cut"))
    return "missed-event";
  if (kinds.has("refuse") || kinds.has("call") || kinds.has("webhook")) return "unretried";
  if (kinds.has("delete-child") || kinds.has("edit-child") || kinds.has("recreate-child")) return "drift";
  if (steps.some((step) => step.do !== "settle" && step.strange) || run.rejected.length > 0) return "stuck";
  return applied.size > 1 ? "collision" : "history";
}

/** Collects the kinds of writes, and those at which a process died. */
class CrashCoverage {
  readonly #all = new Set<string>();
  readonly #diedAt = new Set<string>();

  add({ writePoints, diedAt }: Run): void {
    for (const point of writePoints) this.#all.add(point);
    for (const point of diedAt) this.#diedAt.add(point);
  }

  get points(): CrashPoints {
    const all = [...this.#all].sort();
    return { all, missed: all.filter((point) => !this.#diedAt.has(point)) };
  }
}
