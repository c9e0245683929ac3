import type { int64, Time } from "../json/index.ts";
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

/** A condition as the caller states it: the transition time is found by comparison. */
export type DesiredCondition = Omit<Condition, "lastTransitionTime" | "message"> &
  Partial<Pick<Condition, "lastTransitionTime" | "message">>;

/**
 * Returns the conditions with one of them set, and leaves the given array alone.
 * `lastTransitionTime` moves only when `status` changes, so an unchanged state gives an equal list.
 */
export function setCondition(
  conditions: readonly Condition[] | undefined,
  desired: DesiredCondition,
  now: () => Date | number = Date.now,
): Condition[] {
  const current = findCondition(conditions, desired.type);
  const lastTransitionTime =
    desired.lastTransitionTime ??
    (current?.status === desired.status ? current.lastTransitionTime : formatTime(now()));
  const next: Condition = { message: "", ...desired, lastTransitionTime };
  if (!current) return [...(conditions ?? []), next];
  return (conditions ?? []).map((condition) => (condition.type === desired.type ? next : condition));
}

/** Finds a condition by its type. */
export function findCondition(
  conditions: readonly Condition[] | undefined,
  type: string,
): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Tells whether a condition is there and `True`. */
export function isConditionTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === "True";
}

/** Returns the conditions without one of them. */
export function removeCondition(conditions: readonly Condition[] | undefined, type: string): Condition[] {
  return (conditions ?? []).filter((condition) => condition.type !== type);
}
