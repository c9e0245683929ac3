import { get, merge, post, type Story, story } from "../story.ts";

const autoscalersPath = "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers";
const budgets = "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets";
const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
const autoscaler = (name: string, spec: object) =>
  post(autoscalersPath, { metadata: { name }, spec: { scaleTargetRef, maxReplicas: 3, ...spec } });
const budget = (name: string, spec: object) => post(budgets, { metadata: { name }, spec });

const inFirstVersion = "/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers";
const table = "application/json;as=Table;v=v1;g=meta.k8s.io";
const utilization = { type: "Utilization", averageUtilization: 50 };
const average = { type: "AverageValue", averageValue: "100Mi" };
const value = { type: "Value", value: "3k" };
const ofObject = { metric: { name: "m" }, describedObject: scaleTargetRef };

/** A metric of a spec and the one of the status that tells its value. */
const metricOf = (type: string, source: string, known: object, target: object, current: object) => ({
  spec: { type, [source]: { ...known, target } },
  status: { type, [source]: { ...known, current } },
});

const shownMetrics = [
  metricOf("Resource", "resource", { name: "cpu" }, utilization, {
    averageUtilization: 20,
    averageValue: "1",
  }),
  metricOf("Resource", "resource", { name: "memory" }, average, { averageValue: "5Mi" }),
  metricOf("ContainerResource", "containerResource", { name: "cpu", container: "c" }, utilization, {
    averageUtilization: 1,
    averageValue: "1",
  }),
  metricOf("Pods", "pods", { metric: { name: "m" } }, average, { averageValue: "2" }),
  metricOf("External", "external", { metric: { name: "m" } }, value, { value: "1" }),
  metricOf("External", "external", { metric: { name: "m" } }, average, { averageValue: "1" }),
  metricOf("Object", "object", ofObject, value, { value: "1" }),
  metricOf("Object", "object", ofObject, average, { value: "2", averageValue: "1" }),
];

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
  story("what autoscalers aim at, in a Table", [
    ...shownMetrics.flatMap(({ spec, status }, index) => [
      autoscaler(`shown${index}`, { metrics: [spec] }),
      get(`${autoscalersPath}/shown${index}`, table),
      merge(
        `${autoscalersPath}/shown${index}/status`,
        { status: { currentMetrics: [status] } },
        { accept: table },
      ),
    ]),
    autoscaler("many", { metrics: shownMetrics.map(({ spec }) => spec) }),
    get(`${autoscalersPath}/many`, table),
    post(inFirstVersion, { metadata: { name: "first" }, spec: { scaleTargetRef, maxReplicas: 3 } }),
    get(`${inFirstVersion}/first`, table),
    get(`${autoscalersPath}/first`, table),
  ]),
];
