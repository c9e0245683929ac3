import type * as v2 from "@tsbuilder/apimachinery/k8s/autoscaling/v2";
import { sum } from "../../control-loop/counts.ts";

/** Replicas that an autoscaler wanted at a time, or by which it changed its target. */
interface Noted {
  readonly at: number;
  readonly replicas: number;
}

/** The memory of an autoscaler; no window is longer than an hour. */
export interface ScalingHistory {
  /** The replicas that its metrics proposed. */
  readonly proposals: readonly Noted[];
  /** The replicas that it added, and, as negative numbers, removed. */
  readonly changes: readonly Noted[];
}

/** A decision, with the reasons and messages of the conditions AbleToScale and ScalingLimited. */
export interface Scaling {
  readonly replicas: number;
  readonly able: readonly [reason: string, message: string];
  readonly limited: readonly [isLimited: boolean, reason: string, message: string];
}

/** How long an autoscaler remembers that more pods were needed before it removes some. Default: five minutes. */
const defaultWindowSeconds = 300;

/** The limits of decisions, by the reasons of ScalingLimited. */
const limits = {
  ScaleUpLimit: "increasing faster than the maximum scale rate",
  ScaleDownLimit: "decreasing faster than the maximum scale rate",
  TooManyReplicas: "more than the maximum replica count",
  TooFewReplicas: "less than the minimum replica count",
} as const;

/**
 * Brings what metrics propose into what the rules of an autoscaler allow, as kube-controller-manager does: first the calmest proposal
 * within the windows, then the fastest change within the policies' periods, then the least and the most replicas. The `behavior`
 * has its defaults.
 */
export function followRules(
  { minReplicas = 1, maxReplicas, behavior }: v2.HorizontalPodAutoscalerSpec,
  { current, proposed, now }: { readonly current: number; readonly proposed: number; readonly now: number },
  { proposals, changes }: ScalingHistory,
): Scaling {
  const { scaleUp, scaleDown } = behavior ?? {};
  const lowest = Math.min(proposed, ...within(scaleUp?.stabilizationWindowSeconds ?? 0, proposals));
  const window = scaleDown?.stabilizationWindowSeconds ?? defaultWindowSeconds;
  const highest = Math.max(proposed, ...within(window, proposals));
  const stable = behavior ? Math.min(Math.max(current, lowest), highest) : highest;
  const isUp = behavior ? stable > current : stable >= minReplicas;
  const [bound, limit] = isUp ? ceiling() : floor();
  const replicas = isUp ? Math.min(stable, bound) : Math.max(stable, bound);
  const [direction, lower, calmest] =
    behavior && proposed >= current ? ["Up", "lower", "lowest"] : ["Down", "higher", "highest"];
  return {
    replicas,
    able:
      stable === proposed
        ? ["ReadyForNewScale", "recommended size matches current size"]
        : [
            `Scale${direction}Stabilized`,
            `recent recommendations were ${lower} than current one, applying the ${calmest} recent recommendation`,
          ],
    limited:
      replicas === stable
        ? [false, "DesiredWithinRange", "the desired count is within the acceptable range"]
        : [true, limit, `the desired replica count is ${limits[limit]}`],
  };

  function within(seconds: number, noted: readonly Noted[]): number[] {
    return noted.filter(({ at }) => now - at < seconds * 1000).map(({ replicas }) => replicas);
  }

  function ceiling(): [number, keyof typeof limits] {
    const fastest = behavior ? Math.max(current, reach(1, scaleUp)) : Math.max(2 * current, 4);
    return maxReplicas > fastest ? [fastest, "ScaleUpLimit"] : [maxReplicas, "TooManyReplicas"];
  }

  function floor(): [number, keyof typeof limits] {
    const fastest = behavior ? Math.min(current, reach(-1, scaleDown)) : 0;
    return minReplicas < fastest ? [fastest, "ScaleDownLimit"] : [minReplicas, "TooFewReplicas"];
  }

  /** Returns the replicas that policies allow to reach, counted from those at the start of their periods. */
  function reach(direction: 1 | -1, { selectPolicy, policies = [] }: v2.HPAScalingRules = {}): number {
    if (selectPolicy === "Disabled") return current;
    const ends = policies.map(({ type, value, periodSeconds }) => {
      const start = current - sum(within(periodSeconds, changes));
      if (type === "Pods") return start + direction * value;
      const end = start * (1 + (direction * value) / 100);
      // Otherwise few pods would never become more.
      return direction === 1 ? Math.ceil(end) : Math.trunc(end);
    });
    return (selectPolicy === "Min") === (direction === 1) ? Math.min(...ends) : Math.max(...ends);
  }
}
