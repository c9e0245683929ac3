import {
  type Fault,
  type MistakeClass,
  refOf,
  refText,
  type Scenario,
  type Step,
} from "../contract/index.ts";
import { type Finding, findIn } from "./examine.ts";

/**
 * Omits faults and steps of a finding's scenario, and simplifies faults, as long as the scenario shows a mistake of the same
 * class. `isOver` is called before each try.
 */
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

/** Yields smaller scenarios, those with the largest cuts first. */
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

/** Omits steps. The others are still taken at their former times. */
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

/** Classes that name the mistake whatever the scenario is. */
const plain = new Set<Finding["class"]>([
  "hot-loop",
  "fight",
  "hang",
  "foreign-object",
  "forbidden",
  "without-lease",
  "conditions",
]);

/** Names the class of a mistake, after the faults and steps that remain in the shrunk scenario. */
export function classify({ class: found, scenario, run }: Finding): MistakeClass {
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
