import { merge, post, type Story, story } from "../story.ts";

const autoscalersPath = "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers";
const budgets = "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets";
const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
const autoscaler = (name: string, spec: object) =>
  post(autoscalersPath, { metadata: { name }, spec: { scaleTargetRef, maxReplicas: 3, ...spec } });
const budget = (name: string, spec: object) => post(budgets, { metadata: { name }, spec });

export const autoscalers: readonly Story[] = [
  story("rules of autoscalers", [
    autoscaler("good", { minReplicas: 2 }),
    autoscaler("zero", { minReplicas: 0, maxReplicas: 0 }),
    autoscaler("none", { maxReplicas: 0 }),
    autoscaler("negative", { maxReplicas: -1 }),
    autoscaler("less", { minReplicas: 5 }),
    autoscaler("nothing", { scaleTargetRef: { kind: "", name: "" } }),
    autoscaler("odd", { scaleTargetRef: { kind: "a/b", name: "a%b", apiVersion: "x/y/z" } }),
    autoscaler("metrics", {
      metrics: [
        { type: "Resource" },
        { type: "Resource", resource: { name: "", target: { type: "Utilization" } } },
        {
          type: "Resource",
          resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 0 } },
        },
        {
          type: "Pods",
          pods: { metric: { name: "" }, target: { type: "AverageValue", averageValue: "-1" } },
        },
      ],
    }),
    autoscaler("behavior", {
      behavior: {
        scaleUp: {
          stabilizationWindowSeconds: 4000,
          policies: [{ type: "Odd", value: 0, periodSeconds: 0 }],
        },
        scaleDown: { selectPolicy: "Never", policies: [{ type: "Pods", value: 1, periodSeconds: 2000 }] },
      },
    }),
    merge(`${autoscalersPath}/good`, { spec: { maxReplicas: 1 } }),
  ]),
  story("rules of disruption budgets", [
    budget("good", { maxUnavailable: "100%", selector: { matchLabels: { a: "b" } } }),
    budget("both", { minAvailable: 1, maxUnavailable: 1, selector: { matchLabels: { a: "b" } } }),
    budget("negative", { minAvailable: -1, selector: { matchLabels: { a: "b c" } } }),
    budget("more", { maxUnavailable: "120%", unhealthyPodEvictionPolicy: "Never" }),
    budget("word", { maxUnavailable: "half" }),
    merge(`${budgets}/good`, { spec: { minAvailable: 1 } }),
    merge(`${budgets}/good`, { spec: { minAvailable: 1, maxUnavailable: null } }),
  ]),
];
