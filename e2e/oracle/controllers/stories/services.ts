import { merge, post, ready, remove, type Request, type Story } from "../story.ts";

const services = "/api/v1/namespaces/{ns}/services";
const pods = "/api/v1/namespaces/{ns}/pods";
const budgets = "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets";
const labels = { app: "s" };

/** A pod without a node is not an endpoint; with a node, its deletion takes its grace period. */
const nodeOfItsOwn = post("/api/v1/nodes", { metadata: { name: "{ns}" } });
const pod = (name: string, containerPort: number, own: object = {}): Request =>
  post(pods, {
    metadata: { name, labels: { ...labels, pod: name } },
    spec: {
      nodeName: "{ns}",
      containers: [{ name: "c", image: "i", ports: [{ name: "http", containerPort }] }],
      ...own,
    },
  });
const service = (name: string, spec: object) =>
  post(services, { metadata: { name }, spec: { selector: labels, ports: [{ port: 80 }], ...spec } });
const unready = {
  phase: "Running",
  conditions: [{ type: "Ready", status: "False", lastTransitionTime: "2020-01-01T00:00:00Z" }],
};
const evict = (name: string) =>
  post(`${pods}/${name}/eviction`, {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { name, namespace: "{ns}" },
  });

export const serviceStories: readonly Story[] = [
  {
    name: "a service whose pods name different ports",
    steps: [
      {
        name: "created",
        requests: [
          nodeOfItsOwn,
          service("named", {
            ports: [
              { name: "web", port: 80, targetPort: "http", appProtocol: "http" },
              { name: "other", port: 81, targetPort: "absent" },
              { name: "dns", port: 53, protocol: "UDP", targetPort: 5353 },
            ],
          }),
          pod("a", 8080),
          pod("b", 9090),
        ],
      },
      { name: "both ready", reports: [{ labels, status: ready }] },
      {
        name: "one no longer ready",
        reports: [{ labels: { pod: "a" }, phases: ["Running"], status: unready }],
      },
      {
        name: "one has ended",
        reports: [{ labels: { pod: "b" }, phases: ["Running"], status: { phase: "Succeeded" } }],
      },
    ],
  },
  {
    name: "a service of unready pods, and one without ports",
    steps: [
      {
        name: "created",
        requests: [
          nodeOfItsOwn,
          service("early", { publishNotReadyAddresses: true }),
          service("late", {}),
          service("bare", { clusterIP: "None", ports: [] }),
          service("foreign", { type: "ExternalName", externalName: "example.com", ports: [] }),
          pod("a", 80, { hostname: "first", subdomain: "bare" }),
        ],
      },
      { name: "an address", reports: [{ labels, status: unready }] },
      { name: "ready", reports: [{ labels, phases: ["Running"], status: ready }] },
      { name: "terminating", requests: [remove(`${pods}/a`)] },
    ],
  },
  {
    name: "a service whose selector changes",
    steps: [
      {
        name: "created",
        requests: [nodeOfItsOwn, service("s", {}), pod("a", 80), pod("b", 80)],
      },
      { name: "ready", reports: [{ labels, status: ready }] },
      {
        name: "one of them",
        requests: [merge(`${services}/s`, { spec: { selector: { app: "s", pod: "b" } } })],
      },
      { name: "another port", requests: [merge(`${services}/s`, { spec: { ports: [{ port: 81 }] } })] },
      {
        name: "the service gets labels",
        requests: [merge(`${services}/s`, { metadata: { labels: { tier: "web" } } })],
      },
      {
        name: "the pod changes its labels",
        requests: [merge(`${pods}/b`, { metadata: { labels: { pod: "c" } } })],
      },
      { name: "no selector", requests: [merge(`${services}/s`, { spec: { selector: null } })] },
      { name: "deleted", requests: [remove(`${services}/s`)], rest: 5 },
    ],
  },
  {
    name: "a budget that counts evictions",
    steps: [
      {
        name: "created, before there are pods",
        requests: [
          nodeOfItsOwn,
          post(budgets, {
            metadata: { name: "b" },
            spec: { minAvailable: 1, selector: { matchLabels: labels } },
          }),
        ],
      },
      { name: "pods", requests: [pod("a", 80), pod("b", 80)] },
      { name: "ready", reports: [{ labels, status: ready }] },
      { name: "one is evicted", requests: [evict("a")] },
      { name: "it is gone", requests: [remove(`${pods}/a`, { gracePeriodSeconds: 0 })] },
    ],
  },
  {
    name: "a budget of pods without an owner",
    steps: [
      {
        name: "created, before there are pods",
        requests: [
          post(budgets, {
            metadata: { name: "share" },
            spec: { maxUnavailable: "50%", selector: { matchLabels: labels } },
          }),
          post(budgets, {
            metadata: { name: "empty" },
            spec: { minAvailable: 0, selector: { matchLabels: { app: "x" } } },
          }),
        ],
      },
      { name: "pods", requests: [pod("a", 80, { nodeName: null }), pod("b", 80, { nodeName: null })] },
      { name: "ready", reports: [{ labels, status: ready }] },
    ],
  },
];
