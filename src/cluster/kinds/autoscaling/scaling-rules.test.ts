import type * as v2 from "@tsbuilder/apimachinery/k8s/autoscaling/v2";
import { expect, test } from "vitest";
import { followRules } from "./scaling-rules.ts";

// The numbers are those of kube-controller-manager's rules.

type Policies = v2.HPAScalingPolicy[];
const pods = (value: number, periodSeconds = 60) => ({ type: "Pods", value, periodSeconds });
const percent = (value: number, periodSeconds = 60) => ({ type: "Percent", value, periodSeconds });
const up = (policies: Policies, more: object = {}) => ({
  scaleUp: { stabilizationWindowSeconds: 0, selectPolicy: "Max", policies, ...more },
  scaleDown: { stabilizationWindowSeconds: 0, selectPolicy: "Max", policies: [percent(100)] },
});
const down = (policies: Policies, more: object = {}) => ({
  scaleUp: { stabilizationWindowSeconds: 0, selectPolicy: "Max", policies: [pods(4)] },
  scaleDown: { stabilizationWindowSeconds: 0, selectPolicy: "Max", policies, ...more },
});

/** How many seconds ago a number was. */
const ago = (...noted: [seconds: number, replicas: number][]) =>
  noted.map(([seconds, replicas]) => ({ at: -seconds * 1000, replicas }));

const decide = (
  behavior: v2.HorizontalPodAutoscalerBehavior | undefined,
  [current, proposed]: readonly [number, number],
  history: { proposals?: object[]; changes?: object[] } = {},
) =>
  followRules(
    {
      scaleTargetRef: { kind: "Deployment", name: "web" },
      minReplicas: 2,
      maxReplicas: 50,
      ...(behavior && { behavior }),
    },
    { current, proposed, now: 0 },
    { proposals: [], changes: [], ...history } as never,
  );

test.each([
  ["more", undefined, [3, 5], {}, 5, "DesiredWithinRange"],
  ["twice as many at most", undefined, [3, 9], {}, 6, "ScaleUpLimit"],
  ["four at most, from one", undefined, [1, 9], {}, 4, "ScaleUpLimit"],
  ["no more than the maximum", undefined, [30, 99], {}, 50, "TooManyReplicas"],
  ["no fewer than the minimum", undefined, [3, 1], {}, 2, "TooFewReplicas"],
  [
    "what was needed four minutes ago",
    undefined,
    [9, 3],
    { proposals: ago([240, 7]) },
    7,
    "DesiredWithinRange",
  ],
  ["more than somebody has left", undefined, [3, 3], { proposals: ago([240, 5]) }, 5, "DesiredWithinRange"],
  [
    "what was needed six minutes ago no more",
    undefined,
    [9, 3],
    { proposals: ago([360, 7]) },
    3,
    "DesiredWithinRange",
  ],
  ["pods of a policy", up([pods(4)]), [3, 20], {}, 7, "ScaleUpLimit"],
  ["a percentage, rounded up", up([percent(10)]), [3, 20], {}, 4, "ScaleUpLimit"],
  ["the larger of two changes", up([pods(4), percent(300)]), [3, 20], {}, 12, "ScaleUpLimit"],
  ["the smaller one", up([pods(4), percent(300)], { selectPolicy: "Min" }), [3, 20], {}, 7, "ScaleUpLimit"],
  ["none if that is disabled", up([pods(4)], { selectPolicy: "Disabled" }), [3, 20], {}, 3, "ScaleUpLimit"],
  ["what the period still allows", up([pods(4)]), [6, 20], { changes: ago([30, 3]) }, 7, "ScaleUpLimit"],
  ["nothing until the period is over", up([pods(2)]), [9, 20], { changes: ago([30, 3]) }, 9, "ScaleUpLimit"],
  ["all of it after the period", up([pods(4)]), [6, 20], { changes: ago([90, 3]) }, 10, "ScaleUpLimit"],
  [
    "what was removed in the period, too",
    up([pods(4)]),
    [6, 20],
    { changes: ago([30, -3]) },
    13,
    "ScaleUpLimit",
  ],
  ["the maximum before the policy", up([pods(40)]), [30, 99], {}, 50, "TooManyReplicas"],
  [
    "the lowest within a window",
    up([pods(9)], { stabilizationWindowSeconds: 60 }),
    [3, 8],
    { proposals: ago([30, 5]) },
    5,
    "DesiredWithinRange",
  ],
  ["fewer pods of a policy", down([pods(4)]), [20, 3], {}, 16, "ScaleDownLimit"],
  ["a percentage, cut off", down([percent(10)]), [19, 3], {}, 17, "ScaleDownLimit"],
  ["the larger of two removals", down([pods(4), percent(50)]), [20, 3], {}, 10, "ScaleDownLimit"],
  [
    "the smaller removal",
    down([pods(4), percent(50)], { selectPolicy: "Min" }),
    [20, 3],
    {},
    16,
    "ScaleDownLimit",
  ],
  [
    "no removal if that is disabled",
    down([pods(4)], { selectPolicy: "Disabled" }),
    [20, 3],
    {},
    20,
    "ScaleDownLimit",
  ],
  [
    "what the period still lets remove",
    down([pods(4)]),
    [20, 3],
    { changes: ago([30, -3]) },
    19,
    "ScaleDownLimit",
  ],
  ["the minimum before the policy", down([percent(100)]), [20, 1], {}, 2, "TooFewReplicas"],
  [
    "the highest within a window",
    down([percent(100)], { stabilizationWindowSeconds: 60 }),
    [20, 3],
    { proposals: ago([90, 18], [30, 9]) },
    9,
    "DesiredWithinRange",
  ],
  [
    "no more than there are, though more were needed",
    down([percent(100)], { stabilizationWindowSeconds: 60 }),
    [4, 3],
    { proposals: ago([30, 9]) },
    4,
    "DesiredWithinRange",
  ],
] as const)("%s", (_, behavior, replicas, history, wanted, reason) => {
  const decision = decide(behavior, replicas, history);
  expect([decision.replicas, decision.limited[1]]).toEqual([wanted, reason]);
  expect(decision.limited[0]).toBe(reason !== "DesiredWithinRange");
});

test("an autoscaler says whether it waits", () => {
  const slow = up([pods(9)], { stabilizationWindowSeconds: 60 });
  const calm = down([percent(100)], { stabilizationWindowSeconds: 60 });
  expect(decide(slow, [3, 5]).able[0]).toBe("ReadyForNewScale");
  expect(decide(slow, [3, 5], { proposals: ago([30, 4]) }).able[0]).toBe("ScaleUpStabilized");
  expect(decide(calm, [9, 5], { proposals: ago([30, 7]) }).able[0]).toBe("ScaleDownStabilized");
  expect(decide(undefined, [3, 3], { proposals: ago([30, 7]) }).able[0]).toBe("ScaleDownStabilized");
});
