import type { int64, Time } from "../json/index.ts";
import { type Clock, systemClock } from "../time/clock.ts";
import { formatTime } from "../time/time.ts";

/** One observation of an object's state; `type` is unique within the list. */
export interface Condition {
  type: string;
  status: "True" | "False" | "Unknown";
  observedGeneration?: int64;
  lastTransitionTime: Time;
  reason: string;
  message: string;
}

/** A condition to set. Default of `lastTransitionTime`: unchanged if `status` is unchanged, else now. */
export type DesiredCondition = Pick<Condition, "type" | "status" | "reason"> & {
  observedGeneration?: int64 | undefined;
  lastTransitionTime?: Time | undefined;
  message?: string | undefined;
};

/** The text of a reason; if it is not one word, a type whose name says so: the API server rejects such a condition. */
export type OneWord<Text extends string> = Text extends "" | `${string} ${string}`
  ? "a reason is one word, such as NotReady"
  : Text;

/**
 * Returns the conditions with one of them set; doesn't modify the given array.
 * `lastTransitionTime` changes only when `status` changes, so that an unchanged state results in an equal array. The
 * time is the system's by default; a reconciler passes `manager.clock`, so that tests can move it.
 */
export function setCondition<Reason extends string>(
  conditions: readonly Condition[] | null | undefined,
  desired: DesiredCondition & { readonly reason: OneWord<Reason> },
  clock: Pick<Clock, "now"> = systemClock,
): Condition[] {
  const current = findCondition(conditions, desired.type);
  const lastTransitionTime =
    desired.lastTransitionTime ??
    (current?.status === desired.status ? current.lastTransitionTime : formatTime(clock.now()));
  const { message = "", observedGeneration, ...rest } = desired;
  const generation = observedGeneration === undefined ? {} : { observedGeneration };
  const next: Condition = { ...rest, ...generation, message, lastTransitionTime };
  if (!current) return [...(conditions ?? []), next];
  return (conditions ?? []).map((condition) => (condition.type === desired.type ? next : condition));
}

/** Finds a condition by its type; also one of a built-in kind, which may lack a reason or the times. */
export function findCondition<Found extends { readonly type: string } = Condition>(
  conditions: readonly Found[] | null | undefined,
  type: string,
): Found | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Returns true if the condition exists and its status is `True`. */
export function isConditionTrue(
  conditions: readonly { readonly type: string; readonly status: string }[] | null | undefined,
  type: string,
): boolean {
  return findCondition(conditions, type)?.status === "True";
}

/** Returns the conditions without those of a type. */
export function removeCondition(
  conditions: readonly Condition[] | null | undefined,
  type: string,
): Condition[] {
  return (conditions ?? []).filter((condition) => condition.type !== type);
}
