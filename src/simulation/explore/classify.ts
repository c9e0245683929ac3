import { isObject } from "@tsbuilder/apimachinery/json";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { ChildFault, Fault, MistakeClass, Phase, Run, Step, TraceEvent } from "../contract/index.ts";
import { beginOf, eventsIn } from "../contract/run.ts";
import { restartedAtOnce } from "../world/simulate.ts";
import { appliedIn } from "../contract/scenario.ts";
import { refTextOf } from "../contract/state.ts";
import type { Moment } from "../world/witness.ts";
import { aboutAny } from "./blame.ts";
import { type Finding, compareWithFreshStart, isOutcomeOfAnOrder } from "./examine.ts";

/** Classes that name the mistake whatever the scenario is. */
const evidentClasses = new Set<Finding["class"]>([
  "hot-loop",
  "fight",
  "hang",
  "foreign-object",
  "forbidden",
  "without-lease",
  "conditions",
  "promise",
  "tightened",
]);

/** Names the class of a mistake, after the faults and steps that remain in the shrunk scenario: it takes all of these. */
export async function classify(finding: Finding): Promise<MistakeClass> {
  const { class: found, scenario, run } = finding;
  const { faults = [], steps = [] } = scenario;
  const isOfSeveral = hasSeveralOfAKind(steps);
  if (isRestartWork(finding)) {
    if (faults.length === 0) return classOfRestartWork(finding);
  } else if (found !== "differs" && (evidentClasses.has(found) || faults.length === 0))
    return (found === "hot-loop" || found === "fight") && isOfSeveral && faults.length === 0
      ? "collision"
      : found;
  const classes = new Set(faults.map((fault) => classOf(fault, finding)));
  const first = faultClasses.find((name) => classes.has(name));
  if (first) return first;
  if (isCorrected(steps) || run.rejected.length > 0) return "stuck";
  if (!isOfSeveral) return "history";
  return (await isFirstComeFirstServed(finding)) ? "order" : "collision";
}

/** Returns whether a finding is that a restart finds something to do, though everything rested before. */
export function isRestartWork({ class: found, run: { trace } }: Finding): boolean {
  const isAtRest = trace.every((event) => event.type !== "phase" || event.rests);
  return found === "overdue" || (found === "hot-loop" && isAtRest);
}

/**
 * Names what a restart finds to do without faults. If the next restart finds it, too, it is done at every start. Otherwise it had
 * been left undone: because time had to pass, or nobody told the operator of an event. Of several of a kind, only those that name
 * the same thing wait for each other; and what was right before the restart was not left undone.
 */
async function classOfRestartWork({ class: found, scenario, run, objects }: Finding): Promise<MistakeClass> {
  const changes = (phase: Phase, about: readonly string[], { trace, writes } = run): boolean => {
    const isAbout = aboutAny(trace.map(unseen), about);
    return eventsIn(phase, trace).some((event) =>
      event.type === "change"
        ? event.by in writes && isAbout(unseen(event))
        : event.type === "call" && event.isChange && about.length === 0,
    );
  };
  const isOfSeveral = hasSeveralOfAKind(scenario.steps ?? []);
  const phase = found === "overdue" ? "late restart" : "restart";
  if (phase === "restart" && changes("late restart", objects)) return isOfSeveral ? "collision" : "hot-loop";
  if (isOfSeveral) {
    const wrong = (await compareWithFreshStart(scenario, run)).flatMap((difference) => difference.objects);
    if (wrong.length === 0 || !changes(phase, wrong) || sharedTexts(appliedIn(scenario.steps)).length === 0)
      return "collision";
  }
  if (found === "overdue") return "overdue";
  return changes("restart", objects, await restartedAtOnce(scenario)) ? "missed-event" : "overdue";
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
  "rollback",
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
function classOf(fault: Fault, finding: Finding): (typeof faultClasses)[number] | undefined {
  const { run, objects } = finding;
  switch (fault.fault) {
    case "crash":
      return fault.lag === undefined ? "interrupted" : "stale-view";
    case "call":
    case "refuse":
      if (fault.with === "slow") return "stale-view";
      if (fault.done) return "lost-answer";
      return afterFailure(fault, finding);
    case "hold":
    case "break":
    case "expire":
      return actsDuring(fault, run) ? "stale-view" : "missed-event";
    // Late events alone don't show the mistake, or the fault would have become `hold`.
    case "cut":
      return afterFailure(fault, finding);
    case "lease":
      return "handover";
    case "suspend":
      return "suspended";
    case "clock":
      return "wrong-clock";
    case "delete-child":
    case "edit-child":
    case "recreate-child":
      return isAboutChild(fault, run, objects) ? "drift" : undefined;
    case "pod":
    case "node":
      return "drift";
    case "webhook":
      return fault.delay === undefined ? "unretried" : "stale-view";
    case "upgrade":
    case "rollback":
      return fault.fault;
  }
}

/**
 * Names what requests that failed led to. An operator that goes on failing with one error tries again, and what it had begun before
 * is in its way.
 */
function afterFailure(
  fault: Fault & { readonly process: string },
  { class: found, message, run }: Finding,
): "interrupted" | "unretried" | undefined {
  if (isRetried(fault, run)) return undefined;
  const failures = run.trace.filter(
    (event) => event.type === "log" && event.error !== undefined && message.endsWith(event.error),
  );
  return found === "error" && failures.length > 1 ? "interrupted" : "unretried";
}

/** Returns whether all that failed while a fault struck was done later: then it was retried, and something else is wrong. */
function isRetried(fault: Fault & { readonly process: string }, { trace }: Run): boolean {
  const begin = beginOf(fault.in ?? "steps", trace) + ("at" in fault ? fault.at : 0);
  /** What was asked, and whether it has been done since it failed. */
  const asked = new Map<string, boolean>();
  for (const event of trace) {
    if ((event.type !== "request" && event.type !== "call") || event.process !== fault.process) continue;
    const text = event.type === "call" ? event.text : `${event.method} ${event.path} ${event.body ?? ""}`;
    const { status = 0 } = event;
    const isFailed = status === 0 || status === 409 || status === 429 || status >= 500;
    if (isFailed ? event.at >= begin : asked.has(text)) asked.set(text, !isFailed);
  }
  return asked.size > 0 && [...asked.values()].every(Boolean);
}

/** Returns whether a mistake is about the object that somebody changed. Its own state may be right, and something else wrong. */
function isAboutChild(fault: Fault & ChildFault, { trace }: Run, objects: readonly string[]): boolean {
  const begin = beginOf(fault.in ?? "steps", trace) + fault.at;
  const isAbout = aboutAny(trace.map(unseen), objects);
  const struck = trace.find((event) => event.type === "change" && event.by === "user" && event.at >= begin);
  return struck === undefined || isAbout(unseen(struck));
}

function unseen(event: TraceEvent): Moment {
  return { event, site: undefined };
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
  const applied = new Set(appliedIn(scenario.steps).map(refTextOf));
  const named = sharedTexts(run.state.objects.filter((object) => applied.has(refTextOf(object))));
  const isContested = objects.some((object) => named.some((text) => object.endsWith(`/${text}`)));
  return isContested && isOutcomeOfAnOrder(scenario, run);
}

/** Returns the texts that the specs of different objects have in common: what they name may be one thing. */
function sharedTexts(objects: readonly KubernetesObject[]): string[] {
  const byObject = new Map<string, Set<string>>();
  for (const object of objects) {
    const texts = byObject.get(refTextOf(object)) ?? new Set();
    byObject.set(refTextOf(object), texts);
    for (const text of "spec" in object ? textsIn(object.spec) : []) texts.add(text);
  }
  const all = [...byObject.values()].flatMap((texts) => [...texts]);
  return all.filter((text, at) => all.indexOf(text) !== at);
}

/** Returns all texts in a value. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}
