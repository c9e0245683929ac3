import type { PlannedFailure } from "@tsbuilder/cluster";
import { describeAction } from "../record/describe-action.ts";
import { type Recorded, type RecordedAction, restorer } from "../record/recorded.ts";
import type { Notes } from "./notes.ts";

/** What the page did besides writing objects, as far as a test can do it. */
export type PageStep =
  /** Stops the operator and starts another one. */
  | { readonly type: "restart" }
  /** Has the operator's next requests fail, or wait for their answers. */
  | { readonly type: "fail"; readonly failure: PlannedFailure };

/** A step, in milliseconds since 1970. */
export type TimedPageStep = PageStep & { readonly at: number };

/** Actions after which another process of the operator runs; the one of a test takes no Lease. */
const restarting: ReadonlySet<string> = new Set(["restart", "lose-leader"]);

/** Finds what a test does as the page did; the rest is noted. */
export function pageSteps(recorded: readonly Recorded[], notes: Notes): TimedPageStep[] {
  const steps: TimedPageStep[] = [];
  // Records of before have no actions.
  let wentBack = recorded.some((one) => one.type === "write" && one.by?.user === restorer);
  for (const action of recorded) {
    if (action.type !== "action" || action.outcome !== "done") continue;
    const at = Date.parse(action.at);
    if (restarting.has(action.name)) steps.push({ type: "restart", at });
    else if (action.name === "fail") steps.push({ type: "fail", at, failure: plannedFailure(action) });
    else if (action.name === "restore") wentBack = true;
    else if (action.name === "move-clock")
      notes.add(
        `the page ${describeAction(action)}, which the test does not: give the cluster and the manager a FakeClock, and move it with moveClock of @tsbuilder/runtime/testing`,
      );
  }
  if (wentBack)
    notes.add(
      "the session went back in time, which the test does not: correct what it expects, or record another session",
    );
  return steps;
}

/** Whether the operator's requests have met all failures that were planned. */
export function haveAllBeenMet(recorded: readonly Recorded[]): boolean {
  let left = 0;
  for (const one of recorded) {
    if (one.type === "fault") left--;
    else if (one.type === "action" && one.name === "fail" && one.outcome === "done")
      left += plannedFailure(one).times;
  }
  return left === 0;
}

function plannedFailure({ input }: RecordedAction): PlannedFailure {
  const { verb, resource, times = 1, code, delay } = input;
  const outcome = code === undefined ? { delay } : { code };
  return { verb, resource, outcome, times } as PlannedFailure;
}
