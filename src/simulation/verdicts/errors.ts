import type { Fault, Scenario, TraceEvent, Verdict } from "../contract/index.ts";
import { isChange, isDeletion } from "./changes.ts";

/** After a fault, errors are expected for this many milliseconds. */
const explained = 30_000;

/** Two errors after it are no accident: an operator whose error healed does not try again. */
const persistent = 2;

/** Errors that nothing explains. */
export function errors(trace: readonly TraceEvent[], { faults = [], steps = [] }: Scenario): Verdict[] {
  const all = trace.filter((event) => event.type === "log" && event.level === "error");
  const isPlain = faults.length === 0 && !steps.some((step) => step.do !== "settle" && step.strange);
  // Whoever writes to what is just being deleted learns of it by an error.
  const excuses = isPlain
    ? trace.filter((event) => isUnanswered(event) || (isChange(event) && isDeletion(event)))
    : [...trace.filter(isDisturbance), ...faults.map((fault) => ({ at: endOf(fault) }))];
  const counted = all.filter(
    (error) => !excuses.some(({ at }) => at <= error.at && error.at <= at + explained),
  );
  const [first] = counted;
  if (first?.type !== "log" || counted.length < (isPlain ? 1 : persistent)) return [];
  const message = `${first.process}: ${first.message}${first.error === undefined ? "" : `: ${first.error}`}`;
  return [{ class: "error", message, objects: first.object === undefined ? [] : [first.object] }];
}

function endOf(fault: Fault): number {
  return "at" in fault ? fault.at + ("for" in fault ? fault.for : 0) : 0;
}

/** What a webhook should have admitted fails while nobody serves it. */
function isUnanswered(event: TraceEvent): boolean {
  return event.type === "webhook" && event.status === 0;
}

/** A time-out disturbs when the client has stopped waiting; a watch that has to list again leaves an old view until then. */
function isDisturbance(event: TraceEvent): boolean {
  const { type } = event;
  if (type === "watch") return event.event === "ERROR";
  return type === "fault" || type === "step" || type === "died" || (type === "request" && event.status === 0);
}
