import { isObject } from "@tsbuilder/apimachinery/json";
import type { Fault, MistakeClass, Run, Step } from "../contract/index.ts";
import { appliedIn } from "../contract/scenario.ts";
import { beginOf } from "../contract/run.ts";
import { refTextOf } from "../contract/state.ts";
import { type Finding, isOutcomeOfAnOrder } from "./examine.ts";

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
  "promise",
]);

/** Names the class of a mistake, after the faults and steps that remain in the shrunk scenario: it takes all of these. */
export async function classify(finding: Finding): Promise<MistakeClass> {
  const { class: found, scenario, run } = finding;
  const { faults = [], steps = [] } = scenario;
  const isOfSeveral = hasSeveralOfAKind(steps);
  if (found !== "differs" && (evidentClasses.has(found) || faults.length === 0))
    return (found === "hot-loop" || found === "fight") && isOfSeveral && faults.length === 0
      ? "collision"
      : found;
  const classes = new Set(faults.map((fault) => classOf(fault, run)));
  const first = faultClasses.find((name) => classes.has(name));
  if (first) return first;
  if (isCorrected(steps) || run.rejected.length > 0) return "stuck";
  if (!isOfSeveral) return "history";
  return (await isFirstComeFirstServed(finding)) ? "order" : "collision";
}

/** Returns whether users apply several objects of one kind. A Secret that an object names is none that it collides with. */
function hasSeveralOfAKind(steps: readonly Step[]): boolean {
  const applied = new Map(appliedIn(steps).map((object) => [refTextOf(object), object]));
  const kinds = [...applied.values()].map(({ apiVersion, kind }) => `${kind}.${apiVersion}`);
  return new Set(kinds).size < kinds.length;
}

/** Returns whether a user corrects a value that no operator can work with. */
function isCorrected(steps: readonly Step[]): boolean {
  return steps.some(
    (wrong, at) =>
      wrong.do === "apply" &&
      wrong.strange &&
      steps
        .slice(at + 1)
        .some((step) => step.do === "apply" && refTextOf(step.object) === refTextOf(wrong.object)),
  );
}

/** The classes of faults. If several faults remain, the first of their classes says most about the mistake. */
const faultClasses = [
  "upgrade",
  "wrong-clock",
  "stale-view",
  "interrupted",
  "handover",
  "suspended",
  "missed-event",
  "lost-answer",
  "unretried",
  "drift",
] as const satisfies readonly MistakeClass[];

/** Names what a fault did to the operator. */
function classOf(fault: Fault, run: Run): (typeof faultClasses)[number] {
  switch (fault.fault) {
    case "crash":
      return fault.lag === undefined ? "interrupted" : "stale-view";
    case "refuse":
      return fault.done ? "lost-answer" : "unretried";
    case "call":
      if (fault.with === "slow") return "stale-view";
      return fault.done ? "lost-answer" : "unretried";
    case "hold":
    case "break":
    case "expire":
      return actsDuring(fault, run) ? "stale-view" : "missed-event";
    // Late events alone don't show the mistake, or the fault would have become `hold`.
    case "cut":
      return "unretried";
    case "lease":
      return "handover";
    case "suspend":
      return "suspended";
    case "clock":
      return "wrong-clock";
    case "delete-child":
    case "edit-child":
    case "recreate-child":
    case "pod":
    case "node":
      return "drift";
    case "webhook":
      return fault.delay === undefined ? "unretried" : "stale-view";
    case "upgrade":
      return "upgrade";
  }
}

type WatchFault = Extract<Fault, { readonly fault: "hold" | "break" | "expire" }>;

/** Returns whether a process changed something while it got no events, and so by an old view. */
function actsDuring({ process, in: phase, at, for: duration }: WatchFault, { trace }: Run): boolean {
  const begin = beginOf(phase ?? "steps", trace) + at;
  return trace.some(
    (event) =>
      event.at >= begin &&
      event.at <= begin + duration &&
      ((event.type === "change" && event.by === process) ||
        (event.type === "call" && event.process === process && event.isChange)),
  );
}

/**
 * Returns whether several objects name one thing in their specs, such as a Secret, and the outcome is that of a fresh start in
 * which they come in some order: then it only matters which one came first.
 */
async function isFirstComeFirstServed({ scenario, run, objects }: Finding): Promise<boolean> {
  const specs = run.state.objects.flatMap((object) =>
    appliedIn(scenario.steps).some((applied) => refTextOf(applied) === refTextOf(object)) && "spec" in object
      ? [new Set(textsIn(object.spec))]
      : [],
  );
  const named = specs.flatMap((texts) => [...texts]).filter((text, at, all) => all.indexOf(text) !== at);
  const isContested = objects.some((object) => named.some((text) => object.endsWith(`/${text}`)));
  return isContested && isOutcomeOfAnOrder(scenario, run);
}

/** Returns all texts in a value. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}
