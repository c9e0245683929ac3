import { type Run, readScenario, type Scenario, type Step, type Verdict } from "../contract/index.ts";
import { withVirtualGlobals } from "../globals/index.ts";
import { Random } from "../random.ts";
import { pauseOf } from "../world/index.ts";
import { drawFaults } from "./draw-faults.ts";
import { type Baseline, baselineOf, examine, type Finding, findIn } from "./examine.ts";
import { classify, shrink } from "./shrink.ts";
import { scenarioReplay, storyOf, testOf } from "./story.ts";

/** Options of an exploration. */
export interface ExploreOptions {
  /** The number of seeds, of which each makes one disturbed run. Default: 100. */
  readonly seeds?: number;
  /** The first seed. Default: 1. */
  readonly from?: number;
  /** Milliseconds of real time after which no further seed is tried. Default: no limit. */
  readonly time?: number;
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

/** The kinds of writes that the operators made, and those at which no process died. The name of the object doesn't count. */
export interface CrashPoints {
  /** All kinds of writes, such as `shop: PATCH ConfigMap`. */
  readonly all: readonly string[];
  readonly missed: readonly string[];
}

/** The number of seeds that share a plan: its steps, and the undisturbed runs that theirs are compared with. */
export const seedsPerPlan = 10;

/**
 * Runs a scenario with faults that the seeds decide. Each outcome is compared with that of the undisturbed run, and that
 * with the outcome of a fresh start. `make` may be a function that draws the scenario of each plan. Stops at the first
 * failure, and shrinks it.
 */
export function explore(
  make: Scenario | ((random: Random) => Scenario),
  options: ExploreOptions = {},
): Promise<Exploration> {
  // Once for all runs, since replacing dozens of functions takes time.
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

/** Fixes the time of each step, so that leaving one out doesn't move the others. */
function timed(steps: readonly Step[], random: Random): Step[] {
  return steps.map((step) => {
    const after = step.do === "settle" ? undefined : (step.after ?? pauseOf(random));
    return step.do === "settle" ? step : { ...step, after: Math.round(after!) };
  });
}

/** Runs one scenario without its faults, and with them. Returns the failure, if there is one. */
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

/** Collects the crash points of many runs. */
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
