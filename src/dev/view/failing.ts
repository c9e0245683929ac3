import { countUntil } from "../record/count-until.ts";
import { shortened } from "../record/findings/finding.ts";
import type { Reconcile } from "../record/timed.ts";
import type { Standing } from "./standing.ts";

/** A request whose last reconcile failed. */
export interface Failing {
  readonly reconcile: Reconcile;
  /** The number of failures in a row, and the start of the first. */
  readonly times: number;
  readonly since: number;
}

/**
 * Returns how the reconciles of one request fail at a moment; undefined if the last one succeeded. A conflict is retried at
 * once, and says nothing about what failed before it.
 */
export function failureAt(
  { reconciles }: { readonly reconciles: readonly Reconcile[] },
  moment: number,
): Failing | undefined {
  let [times, since] = [0, moment];
  let last: Reconcile | undefined;
  for (let at = countUntil(reconciles, ({ to }) => to <= moment) - 1; at >= 0; at--) {
    const one = reconciles[at]!;
    if (one.outcome === "conflict" || one.outcome === "unfinished") continue;
    if (one.outcome !== "error" && one.outcome !== "terminal") break;
    last ??= one;
    times++;
    since = one.from;
  }
  return last && { reconcile: last, times, since };
}

/** Returns how an object stands whose reconcile may have failed: then its conditions are those of better days. */
export function withFailure(standing: Standing, failing: Failing | undefined): Standing {
  return failing ? { ...standing, tone: "bad", why: shortened(errorOf(failing.reconcile), 300) } : standing;
}

/** Returns the error of a reconcile with its name, which stands in its stack; its outcome if it has none. */
export function errorOf({ error = "", stack, outcome }: Reconcile): string {
  const [first = ""] = (stack ?? "").split("\n");
  return (first.includes(error) ? first : error) || outcome;
}
