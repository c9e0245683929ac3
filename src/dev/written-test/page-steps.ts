import { describeAction } from "../record/describe-action.ts";
import { type Recorded, restorer } from "../record/recorded.ts";
import type { Notes } from "./notes.ts";

/** What the page did besides writing objects, as far as a test can do it. */
interface PageSteps {
  /** When the operator ended and was started again; in milliseconds since 1970. */
  readonly restarts: readonly number[];
}

/** Actions after which another process of the operator runs; the one of a test takes no Lease. */
const restarting: ReadonlySet<string> = new Set(["restart", "lose-leader"]);

/** Finds what a test does as the page did; the rest is noted. */
export function pageSteps(recorded: readonly Recorded[], notes: Notes): PageSteps {
  const restarts: number[] = [];
  // Records of before have no actions.
  let wentBack = recorded.some((one) => one.type === "write" && one.by?.user === restorer);
  for (const action of recorded) {
    if (action.type !== "action" || action.outcome !== "done") continue;
    if (restarting.has(action.name)) restarts.push(Date.parse(action.at));
    else if (action.name === "restore") wentBack = true;
    else if (action.name === "move-clock")
      notes.add(
        `the page ${describeAction(action)}, which the test does not: give the cluster and the manager a FakeClock, and move it with moveClock of @tsbuilder/runtime/testing`,
      );
    else if (action.name === "fail" && action.input["times"] !== 0)
      notes.add(
        `the page ${describeAction(action)}, which the test does not: startFaultProxy of @tsbuilder/runtime/testing does`,
      );
  }
  if (wentBack)
    notes.add(
      "the session went back in time, which the test does not: correct what it expects, or record another session",
    );
  return { restarts };
}
