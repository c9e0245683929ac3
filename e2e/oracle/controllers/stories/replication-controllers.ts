import { merge, post, ready, remove, type Story } from "../story.ts";

const controllers = "/api/v1/namespaces/{ns}/replicationcontrollers";
const pods = "/api/v1/namespaces/{ns}/pods";
const labels = { app: "w" };
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
const controller = (spec: object = {}) => ({
  metadata: { name: "w" },
  spec: { replicas: 2, selector: labels, template, ...spec },
});

export const replicationControllerStories: readonly Story[] = [
  {
    name: "a replication controller is scaled and deleted",
    steps: [
      { name: "created", requests: [post(controllers, controller())] },
      { name: "ready", reports: [{ labels, status: ready }] },
      { name: "scaled up", requests: [merge(`${controllers}/w`, { spec: { replicas: 3 } })] },
      { name: "scaled down", requests: [merge(`${controllers}/w`, { spec: { replicas: 1 } })] },
      {
        name: "deleted",
        requests: [remove(`${controllers}/w`, { propagationPolicy: "Background" })],
        rest: 5,
      },
    ],
  },
  {
    name: "a replication controller adopts a pod and releases it",
    steps: [
      { name: "a pod", requests: [post(pods, { metadata: { name: "stray", labels }, spec: template.spec })] },
      { name: "created", requests: [post(controllers, controller({ replicas: 1 }))] },
      {
        name: "without the label",
        requests: [merge(`${pods}/stray`, { metadata: { labels: { app: "other" } } })],
      },
    ],
  },
  {
    name: "a replication controller whose pods are refused",
    steps: [
      {
        name: "created",
        requests: [
          post("/api/v1/namespaces/{ns}/resourcequotas", {
            metadata: { name: "none" },
            spec: { hard: { pods: "0" } },
          }),
          post(controllers, controller({ replicas: 1 })),
        ],
      },
    ],
  },
];
