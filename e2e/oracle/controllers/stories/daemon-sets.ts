import { merge, post, ready, remove, type Request, type Story } from "../story.ts";

const daemonSets = "/apis/apps/v1/namespaces/{ns}/daemonsets";
const labels = { app: "d" };
const template = (image: string) => ({
  metadata: { labels },
  // Without a kubelet, nothing would finish deleting pods on a node.
  spec: {
    nodeSelector: { pool: "{ns}" },
    terminationGracePeriodSeconds: 0,
    containers: [{ name: "c", image }],
  },
});
const daemonSet = (spec: object) => ({
  metadata: { name: "d" },
  spec: { selector: { matchLabels: labels }, template: template("i:1"), ...spec },
});
const image = (tag: string) => [merge(`${daemonSets}/d`, { spec: { template: template(`i:${tag}`) } })];
const running = { labels, status: ready };

/** A ready node, without the taints of a new one: only the story updates it. */
const node = (name: string, own: Readonly<Record<string, string>> = { pool: "{ns}" }): Request[] => [
  post("/api/v1/nodes", { metadata: { name: `{ns}-node-${name}`, labels: own } }),
  merge(`/api/v1/nodes/{ns}-node-${name}/status`, {
    status: {
      conditions: [
        {
          type: "Ready",
          status: "True",
          reason: "KubeletReady",
          lastHeartbeatTime: "2020-01-01T00:00:00Z",
          lastTransitionTime: "2020-01-01T00:00:00Z",
        },
      ],
    },
  }),
  merge(`/api/v1/nodes/{ns}-node-${name}`, { spec: { taints: null } }),
];
const nodes = [...node("a"), ...node("b"), ...node("c")];

export const daemonSetStories: readonly Story[] = [
  {
    name: "a daemon set on the nodes that it selects",
    steps: [
      { name: "created", requests: [...node("a"), ...node("b", {}), post(daemonSets, daemonSet({}))] },
      { name: "ready", reports: [running] },
      { name: "another node", requests: node("c") },
      { name: "ready there, too", reports: [running] },
      {
        name: "a node is cordoned",
        requests: [merge("/api/v1/nodes/{ns}-node-c", { spec: { unschedulable: true } })],
      },
      {
        name: "a node is tainted",
        requests: [
          merge("/api/v1/nodes/{ns}-node-c", {
            spec: { taints: [{ key: "own", value: "yes", effect: "NoSchedule" }] },
          }),
          // The taint alone triggers no reconcile: existing pods stay.
          merge(`${daemonSets}/d`, { metadata: { labels: { seen: "yes" } } }),
        ],
      },
      {
        name: "a node gets a NoExecute taint",
        requests: [
          merge("/api/v1/nodes/{ns}-node-c", {
            spec: { taints: [{ key: "own", value: "yes", effect: "NoExecute" }] },
          }),
        ],
      },
      {
        name: "a node loses its label",
        requests: [merge("/api/v1/nodes/{ns}-node-a", { metadata: { labels: { pool: null } } })],
      },
      {
        name: "deleted",
        requests: [remove(`${daemonSets}/d`, { propagationPolicy: "Foreground" })],
        rest: 5,
      },
    ],
  },
  {
    name: "a daemon set is updated, one pod at a time",
    steps: [
      { name: "created", requests: [...nodes, post(daemonSets, daemonSet({}))] },
      { name: "ready", reports: [running] },
      { name: "new image", requests: image("2") },
      { name: "one ready", reports: [running] },
      { name: "two ready", reports: [running] },
      { name: "all ready", reports: [running] },
      { name: "back again", requests: image("1") },
    ],
  },
  {
    name: "a daemon set is updated with a surge",
    steps: [
      {
        name: "created",
        requests: [
          ...nodes,
          post(
            daemonSets,
            daemonSet({
              updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } },
            }),
          ),
        ],
      },
      { name: "ready", reports: [running] },
      { name: "new image", requests: image("2") },
      { name: "one of the new is ready", reports: [{ ...running, count: 1 }] },
      { name: "the others are ready", reports: [running] },
      { name: "the last is ready", reports: [running] },
    ],
  },
  {
    name: "a daemon set whose pods are replaced by hand",
    steps: [
      {
        name: "created",
        requests: [...nodes, post(daemonSets, daemonSet({ updateStrategy: { type: "OnDelete" } }))],
      },
      { name: "ready", reports: [running] },
      { name: "new image", requests: image("2") },
      {
        name: "a pod fails",
        reports: [{ labels, phases: ["Running"], count: 1, status: { phase: "Failed" } }],
        rest: 5,
      },
    ],
  },
];
