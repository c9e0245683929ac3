import type { Fault, Scenario, Step } from "../contract/index.ts";
import { baselineOf, examine, type Finding } from "./examine.ts";

/** Finds what a scenario shows: without its faults first. */
export async function findIn(scenario: Scenario): Promise<Finding | undefined> {
  const baseline = await baselineOf(scenario);
  const [found] = baseline.findings;
  if (found || !scenario.faults?.length) return found;
  return (await examine(scenario, baseline)).findings[0];
}

/** Omits faults and steps, and makes numbers smaller, as long as the same is wrong. `isOver` is asked before each try. */
export async function shrink(finding: Finding, isOver: () => boolean): Promise<Finding> {
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
