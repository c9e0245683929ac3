import { merge, post, ready, remove, type Story } from "../story.ts";

const deployments = "/apis/apps/v1/namespaces/{ns}/deployments";
const statefulSets = "/apis/apps/v1/namespaces/{ns}/statefulsets";
const services = "/api/v1/namespaces/{ns}/services";
const budgets = "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets";

const labels = { app: "w" };
const template = (image: string) => ({
  metadata: { labels },
  spec: { containers: [{ name: "c", image, ports: [{ name: "http", containerPort: 80 }] }] },
});
const placed = template("i:1");
const workload = (spec: object) => ({
  metadata: { name: "w" },
  spec: { replicas: 3, selector: { matchLabels: labels }, template: template("i:1"), ...spec },
});
const image = (tag: string) => ({ spec: { template: template(`i:${tag}`) } });
const running = { labels, status: ready };
const claims = [
  {
    metadata: { name: "data" },
    spec: {
      accessModes: ["ReadWriteOnce"],
      storageClassName: "none",
      resources: { requests: { storage: "1Gi" } },
    },
  },
];

export const workloadStories: readonly Story[] = [
  {
    name: "a deployment is rolled out, paused and scaled",
    steps: [
      { name: "created", requests: [post(deployments, workload({}))] },
      { name: "ready", reports: [running] },
      { name: "new image", requests: [merge(`${deployments}/w`, image("2"))] },
      { name: "one new pod ready", reports: [running] },
      { name: "paused", requests: [merge(`${deployments}/w`, { spec: { paused: true } })] },
      { name: "scaled while paused", requests: [merge(`${deployments}/w`, { spec: { replicas: 6 } })] },
      { name: "resumed", requests: [merge(`${deployments}/w`, { spec: { paused: false } })] },
      { name: "new pods ready", reports: [running] },
      {
        name: "deleted",
        requests: [remove(`${deployments}/w`, { propagationPolicy: "Foreground" })],
        rest: 5,
      },
    ],
  },
  {
    name: "a deployment is recreated",
    steps: [
      { name: "created", requests: [post(deployments, workload({ strategy: { type: "Recreate" } }))] },
      { name: "ready", reports: [running] },
      { name: "new image", requests: [merge(`${deployments}/w`, image("2"))] },
    ],
  },
  {
    name: "a stateful set in order",
    steps: [
      {
        name: "created",
        requests: [
          post(statefulSets, workload({ serviceName: "w", replicas: 2, volumeClaimTemplates: claims })),
        ],
      },
      { name: "first ready", reports: [running] },
      { name: "second ready", reports: [running] },
      { name: "new image", requests: [merge(`${statefulSets}/w`, image("2"))] },
      { name: "the last is ready again", reports: [running] },
      { name: "the first is ready again", reports: [running] },
      { name: "scaled down", requests: [merge(`${statefulSets}/w`, { spec: { replicas: 1 } })] },
    ],
  },
  {
    name: "a parallel stateful set with a partition, whose claims are deleted with it",
    steps: [
      {
        name: "created",
        requests: [
          post(
            statefulSets,
            workload({
              serviceName: "w",
              podManagementPolicy: "Parallel",
              updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 2 } },
              persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete", whenDeleted: "Delete" },
              volumeClaimTemplates: claims,
            }),
          ),
        ],
      },
      { name: "ready", reports: [running] },
      { name: "new image", requests: [merge(`${statefulSets}/w`, image("2"))] },
      { name: "the last is ready again", reports: [running] },
      { name: "scaled down", requests: [merge(`${statefulSets}/w`, { spec: { replicas: 1 } })] },
    ],
  },
  {
    name: "endpoints of a service, and the budget of its pods",
    steps: [
      {
        name: "a budget, before there are pods",
        requests: [
          post(budgets, {
            metadata: { name: "b" },
            spec: { minAvailable: 2, selector: { matchLabels: labels } },
          }),
        ],
      },
      {
        name: "created",
        requests: [
          // A pod without a node is not an endpoint; with a node, its deletion takes its grace period.
          post("/api/v1/nodes", { metadata: { name: "{ns}" } }),
          post(services, {
            metadata: { name: "s", labels: { tier: "web" } },
            spec: { selector: labels, ports: [{ name: "web", port: 80, targetPort: "http" }] },
          }),
          post(services, {
            metadata: { name: "headless" },
            spec: {
              clusterIP: "None",
              publishNotReadyAddresses: true,
              selector: labels,
              ports: [{ name: "web", port: 80 }],
            },
          }),
          post(
            deployments,
            workload({ template: { ...placed, spec: { ...placed.spec, nodeName: "{ns}" } } }),
          ),
        ],
      },
      { name: "two ready", reports: [{ ...running, count: 2 }] },
      {
        name: "the third has an address",
        reports: [{ labels, status: { phase: "Running", conditions: [{ type: "Ready", status: "False" }] } }],
      },
      { name: "scaled down", requests: [merge(`${deployments}/w`, { spec: { replicas: 1 } })] },
    ],
  },
  {
    name: "a deployment is rolled back, and keeps one revision",
    steps: [
      { name: "created", requests: [post(deployments, workload({ replicas: 1, revisionHistoryLimit: 1 }))] },
      { name: "ready", reports: [running] },
      { name: "second image", requests: [merge(`${deployments}/w`, image("2"))] },
      { name: "second ready", reports: [running] },
      { name: "third image", requests: [merge(`${deployments}/w`, image("3"))] },
      { name: "third ready", reports: [running] },
      { name: "back to the second", requests: [merge(`${deployments}/w`, image("2"))] },
      { name: "second ready again", reports: [running] },
    ],
  },
  {
    name: "a deployment that exceeds its progress deadline",
    steps: [
      {
        name: "created",
        requests: [post(deployments, workload({ replicas: 1, progressDeadlineSeconds: 2 }))],
        rest: 6,
      },
      { name: "ready after all", reports: [running] },
    ],
  },
  {
    name: "a replica set deletes the cheapest pods, and adopts others",
    steps: [
      {
        name: "created",
        requests: [
          post("/api/v1/namespaces/{ns}/pods", {
            metadata: {
              name: "dear",
              labels: { ...labels, pod: "dear" },
              annotations: { "controller.kubernetes.io/pod-deletion-cost": "100" },
            },
            spec: template("i:1").spec,
          }),
          post("/api/v1/namespaces/{ns}/pods", {
            metadata: {
              name: "cheap",
              labels: { ...labels, pod: "cheap" },
              annotations: { "controller.kubernetes.io/pod-deletion-cost": "-100" },
            },
            spec: template("i:1").spec,
          }),
          post("/api/v1/namespaces/{ns}/pods", {
            metadata: {
              name: "bad",
              labels,
              annotations: { "controller.kubernetes.io/pod-deletion-cost": "0" },
            },
            spec: template("i:1").spec,
          }),
          post("/apis/apps/v1/namespaces/{ns}/replicasets", workload({})),
        ],
      },
      { name: "ready", reports: [running] },
      {
        name: "scaled to two",
        requests: [merge("/apis/apps/v1/namespaces/{ns}/replicasets/w", { spec: { replicas: 2 } })],
      },
      {
        name: "one is released",
        requests: [merge("/api/v1/namespaces/{ns}/pods/dear", { metadata: { labels: { app: "other" } } })],
      },
      {
        name: "deleted, orphaning",
        requests: [remove("/apis/apps/v1/namespaces/{ns}/replicasets/w", { propagationPolicy: "Orphan" })],
        rest: 5,
      },
    ],
  },
  {
    name: "a stateful set whose ordinals start at five",
    steps: [
      {
        name: "created",
        requests: [
          post(
            statefulSets,
            workload({ serviceName: "w", podManagementPolicy: "Parallel", ordinals: { start: 5 } }),
          ),
        ],
      },
      { name: "ready", reports: [running] },
      { name: "from six", requests: [merge(`${statefulSets}/w`, { spec: { ordinals: { start: 6 } } })] },
      { name: "scaled down", requests: [merge(`${statefulSets}/w`, { spec: { replicas: 1 } })], rest: 5 },
    ],
  },
  {
    name: "a stateful set with maxUnavailable 2",
    steps: [
      {
        name: "created",
        requests: [
          post(
            statefulSets,
            workload({
              serviceName: "w",
              replicas: 4,
              podManagementPolicy: "Parallel",
              updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 2 } },
            }),
          ),
        ],
      },
      { name: "ready", reports: [running] },
      { name: "new image", requests: [merge(`${statefulSets}/w`, image("2"))] },
      { name: "one ready", reports: [{ ...running, count: 1 }] },
      { name: "two ready", reports: [running] },
      { name: "all ready", reports: [running] },
    ],
  },
  {
    name: "an ordered stateful set with maxUnavailable 2 and minReadySeconds",
    steps: [
      {
        name: "created",
        requests: [
          post(
            statefulSets,
            workload({
              serviceName: "w",
              minReadySeconds: 1,
              updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 2 } },
            }),
          ),
        ],
      },
      { name: "first ready", reports: [running] },
      { name: "second ready", reports: [running] },
      { name: "third ready", reports: [running] },
      { name: "new image", requests: [merge(`${statefulSets}/w`, image("2"))] },
      { name: "some ready", reports: [running] },
      { name: "more ready", reports: [running] },
      {
        name: "one has failed",
        reports: [{ labels, phases: ["Running"], count: 1, status: { phase: "Failed" } }],
      },
    ],
  },
];
