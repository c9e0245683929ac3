import { apply, get, merge, post, put, type Story, story } from "../story.ts";

const deployments = "/apis/apps/v1/namespaces/{ns}/deployments";
const pods = "/api/v1/namespaces/{ns}/pods";

const containers = [{ name: "c", image: "i" }];
const deployment = (metadata: object, spec: object = { containers }) => ({
  metadata: { name: "d", ...metadata },
  spec: {
    selector: { matchLabels: { app: "d" } },
    template: { metadata: { labels: { app: "d" } }, spec },
  },
});
const events = "namespaces/{ns}/events";
const event = {
  metadata: { name: "e", namespace: "{ns}" },
  eventTime: "2026-01-01T00:00:00.000000Z",
  reportingController: "example.com/c",
  reportingInstance: "c-0",
  action: "Look",
  reason: "Seen",
  type: "Normal",
  regarding: { kind: "ConfigMap", name: "a", namespace: "{ns}" },
  note: "a was seen",
};

const scale = (replicas: number, more: object = {}) => ({
  apiVersion: "autoscaling/v1",
  kind: "Scale",
  spec: { replicas },
  ...more,
});

/** Requests of controller-runtime's own suites that the embedded server failed at first. */
export const clientSuites: readonly Story[] = [
  story("creating with a revision", [
    post(`${deployments}?dryRun=All`, deployment({ resourceVersion: "5" })),
    post(deployments, deployment({ resourceVersion: "5" })),
    post(deployments, deployment({ resourceVersion: "5" }, { containers: [] })),
    post(deployments, deployment({})),
    post(deployments, deployment({ resourceVersion: "5" })),
    post(`${deployments}?dryRun=All`, deployment({ resourceVersion: "5" })),
  ]),
  story("metadata by way of status", [
    post(deployments, deployment({ labels: { a: "b" } })),
    merge(`${deployments}/d/status`, {
      metadata: { annotations: { x: "y" }, labels: { a: "c" }, finalizers: ["a.example.com/b"] },
      spec: { replicas: 9 },
      status: { replicas: 1 },
    }),
    merge(`${deployments}/d`, { metadata: { finalizers: null } }),
    post(pods, { metadata: { name: "p" }, spec: { containers } }),
    merge(`${pods}/p/status`, {
      metadata: {
        annotations: { x: "y" },
        labels: { a: "c" },
        ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "a", uid: "u" }],
      },
      status: { phase: "Running" },
    }),
    merge(`/api/v1/namespaces/{ns}/status`, { metadata: { annotations: { x: "y" } } }),
  ]),
  story("an event in both groups", [
    post(`/apis/events.k8s.io/v1/${events}`, event),
    get(`/api/v1/${events}/e`),
  ]),
  story("scale by apply", [
    post(deployments, deployment({})),
    apply(`${deployments}/d/scale?fieldManager=one`, scale(2)),
    apply(`${deployments}/d/scale?fieldManager=one&force=true`, scale(2)),
    get(`${deployments}/d`),
    apply(`${deployments}/d/scale?fieldManager=two`, scale(3, { metadata: { name: "d" } })),
    apply(`${deployments}/d/scale?fieldManager=two&force=true`, scale(3)),
    get(`${deployments}/d`),
    put(`${deployments}/d/scale?fieldManager=three`, scale(4, { metadata: { name: "d" } })),
    apply(`${deployments}/d/scale?fieldManager=one`, scale(4)),
    apply(`${deployments}/d/scale?fieldManager=one`, scale(-1)),
    apply(`${deployments}/d/scale?fieldManager=one`, { apiVersion: "apps/v1", kind: "Deployment" }),
    apply(`${deployments}/d/scale`, scale(4)),
    apply(`${deployments}/missing/scale?fieldManager=one`, scale(4)),
    get(`${deployments}/d`),
  ]),
];
