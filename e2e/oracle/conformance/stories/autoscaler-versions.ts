import { apply, get, merge, post, type Story, story } from "../story.ts";

const v1 = "/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers";
const v2 = "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers";
const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
const autoscaler = (name: string, spec: object, annotations?: Record<string, string>) => ({
  metadata: { name, ...(annotations && { annotations }) },
  spec: { scaleTargetRef, maxReplicas: 3, ...spec },
});
/** The annotation by which version 1 shows a field. */
const shown = <Text extends string | null>(field: string, text: Text) => ({
  [`autoscaling.alpha.kubernetes.io/${field}`]: text,
});
const first = "fieldManager=first";

const selector = {
  matchExpressions: [{ operator: "In", values: ["c"], key: "b" }],
  matchLabels: { z: "1", a: "2" },
};
const metric = { selector, name: "m" };
const average = { type: "AverageValue", averageValue: "1k" };
const value = { type: "Value", value: "3k" };
const utilization = { type: "Utilization", averageUtilization: 50 };
const memory = { type: "Resource", resource: { name: "memory", target: average } };
const metrics = [
  { type: "Resource", resource: { name: "cpu", target: utilization } },
  memory,
  { type: "Resource", resource: { name: "cpu", target: average } },
  { type: "Pods", pods: { metric, target: average } },
  { type: "Object", object: { metric, describedObject: scaleTargetRef, target: value } },
  { type: "Object", object: { metric, describedObject: scaleTargetRef, target: average } },
  { type: "External", external: { metric, target: value } },
  { type: "External", external: { metric, target: average } },
  { type: "ContainerResource", containerResource: { name: "cpu", container: "c", target: utilization } },
  { type: "ContainerResource", containerResource: { name: "memory", container: "c", target: average } },
];
const behavior = {
  scaleUp: { tolerance: "50m" },
  scaleDown: { stabilizationWindowSeconds: 60, policies: [{ type: "Pods", value: 1, periodSeconds: 20 }] },
};
const percent = { averageUtilization: 20, averageValue: "1" };
const currentMetrics = [
  { type: "Resource", resource: { name: "cpu", current: percent } },
  { type: "Resource", resource: { name: "memory", current: { averageValue: "5Mi" } } },
  { type: "Pods", pods: { metric, current: { averageValue: "2" } } },
  { type: "Object", object: { metric, describedObject: scaleTargetRef, current: { value: "1" } } },
  {
    type: "Object",
    object: { metric, describedObject: scaleTargetRef, current: { value: "1", averageValue: "2" } },
  },
  { type: "External", external: { metric, current: { value: "1" } } },
  { type: "External", external: { metric, current: { averageValue: "1" } } },
  { type: "ContainerResource", containerResource: { name: "cpu", container: "c", current: percent } },
];
const condition = { type: "ScalingActive", status: "True", reason: "R", message: "1 < 2" };
const conditions = [
  { ...condition, lastTransitionTime: "2026-01-01T00:00:00Z" },
  { type: "Other", status: "False" },
];

const memoryText = '[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"0.5"}}]';
const upText =
  '{"scaleUp":{"stabilizationWindowSeconds":5,"policies":[{"type":"Pods","value":2,"periodSeconds":9}]}}';
const invalidMetrics =
  '[{"type":"Resource","resource":{"name":""}},{"type":"Odd"},{"type":"Pods","pods":{}},{}]';

export const autoscalerVersions: readonly Story[] = [
  story("what version 1 has no fields for", [
    post(v2, autoscaler("all", { metrics, behavior }, { own: "1" })),
    get(`${v1}/all`),
    merge(`${v2}/all/status`, { status: { conditions, currentMetrics } }),
    get(`${v1}/all`),
    merge(`${v1}/all?${first}`, { metadata: { labels: { a: "b" } } }),
    get(`${v2}/all`),
    merge(`${v1}/all?${first}`, { spec: { targetCPUUtilizationPercentage: 70 } }),
    get(`${v2}/all`),
    merge(`${v1}/all?${first}`, {
      metadata: { annotations: { ...shown("metrics", memoryText), ...shown("conditions", null) } },
    }),
    merge(`${v1}/all?${first}`, {
      metadata: { annotations: { ...shown("metrics", null), ...shown("behavior", null) } },
      spec: { targetCPUUtilizationPercentage: null },
    }),
    get(`${v2}/all`),
  ]),
  story("the status of an autoscaler in version 1", [
    post(v1, autoscaler("web", { targetCPUUtilizationPercentage: 60 })),
    merge(`${v1}/web/status?${first}`, {
      status: { currentCPUUtilizationPercentage: 33, currentReplicas: 2, desiredReplicas: 3 },
    }),
    get(`${v2}/web`),
    merge(`${v1}/web/status?${first}`, { status: { currentCPUUtilizationPercentage: 44 } }),
    merge(`${v1}/web/status?${first}`, {
      metadata: {
        annotations: {
          ...shown("conditions", '[{"type":"A","status":"True"}]'),
          ...shown(
            "current-metrics",
            '[{"type":"Pods","pods":{"metricName":"m","currentAverageValue":"5"}}]',
          ),
        },
      },
    }),
    get(`${v2}/web`),
  ]),
  story("annotations that stand for fields of autoscalers", [
    post(
      v1,
      autoscaler("good", {}, { ...shown("metrics", memoryText), ...shown("behavior", upText), x: "y" }),
    ),
    get(`${v2}/good`),
    merge(`${v1}/good/status?${first}`, {
      metadata: {
        labels: { a: "b" },
        annotations: { ...shown("behavior", null), ...shown("metrics", "[]") },
      },
    }),
    post(v1, autoscaler("text", {}, { ...shown("metrics", "no JSON"), ...shown("behavior", "{") })),
    get(`${v2}/text`),
    post(
      v1,
      autoscaler("types", {}, { ...shown("metrics", '[{"type":1}]'), ...shown("behavior", '{"scaleUp":5}') }),
    ),
    get(`${v2}/types`),
    post(v1, autoscaler("amount", {}, shown("metrics", memoryText.replace("0.5", "much")))),
    post(v1, autoscaler("nothing", {}, { ...shown("metrics", "[]"), ...shown("behavior", "{}") })),
    get(`${v2}/nothing`),
    post(
      v1,
      autoscaler(
        "status",
        {},
        { ...shown("conditions", '[{"type":"A"}]'), ...shown("current-metrics", "[]") },
      ),
    ),
    get(`${v2}/status`),
    post(v1, autoscaler("invalid", { targetCPUUtilizationPercentage: 0 }, shown("metrics", invalidMetrics))),
    post(v1, autoscaler("window", {}, shown("behavior", '{"ScaleUp":{"StabilizationWindowSeconds":-5}}'))),
    post(v1, autoscaler("few", { targetCPUUtilizationPercentage: -1, minReplicas: 0 })),
    post(v2, autoscaler("second", {}, { ...shown("metrics", "x"), ...shown("scale-up-tolerance", "y") })),
    get(`${v1}/second`),
    apply(`${v1}/applied?${first}`, {
      apiVersion: "autoscaling/v1",
      kind: "HorizontalPodAutoscaler",
      ...autoscaler("applied", {}, shown("metrics", memoryText)),
    }),
    get(`${v2}/applied`),
  ]),
];
