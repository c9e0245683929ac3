import type { LooseCondition, PodStatus } from "../api/core.ts";

/** Sets a condition of a pod; lastTransitionTime changes only with its status. */
export function setPodCondition(
  status: PodStatus | undefined,
  condition: LooseCondition,
  now: string,
): PodStatus {
  const conditions = status?.conditions ?? [];
  const last = conditions.find(({ type }) => type === condition.type);
  const same = last?.status === condition.status && last.lastTransitionTime !== undefined;
  const next: LooseCondition = { ...condition, lastTransitionTime: same ? last.lastTransitionTime! : now };
  return {
    phase: "Pending",
    ...status,
    conditions: last ? conditions.map((other) => (other === last ? next : other)) : [...conditions, next],
  };
}
