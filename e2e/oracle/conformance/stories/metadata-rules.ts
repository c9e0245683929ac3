import { merge, post, type Step, type Story, story } from "../story.ts";

const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };

/** Kinds that don't check names as most others do, with the rest of an object of each. */
const kinds: Readonly<Record<string, object>> = {
  "/api/v1/namespaces/{ns}/configmaps": {},
  "/api/v1/namespaces/{ns}/replicationcontrollers": { spec: { template } },
  "/apis/resource.k8s.io/v1/deviceclasses": { spec: {} },
  "/apis/apiregistration.k8s.io/v1/apiservices": {
    spec: { group: "remote.example.com", version: "v1", groupPriorityMinimum: 1000, versionPriority: 15 },
  },
  "/apis/events.k8s.io/v1/namespaces/{ns}/events": {
    eventTime: "2026-01-01T00:00:00.000000Z",
    reportingController: "example.com/c",
    reportingInstance: "c-0",
    action: "Look",
    reason: "Seen",
    type: "Normal",
    regarding: { kind: "ConfigMap", name: "a", namespace: "{ns}" },
  },
};

const metadata: readonly object[] = [
  { name: "a", generateName: "Bogus" },
  { generateName: "BAD-" },
  { name: "a", generateName: "x".repeat(300) },
  { name: "A_b", generateName: "ok-" },
  { name: "UPPER" },
  { name: "a/b" },
];

const wrong: readonly object[] = [
  { annotations: { "A b": "" } },
  { finalizers: ["A b"] },
  { labels: { "A b": "-" } },
  { ownerReferences: [{}] },
];

/** How often a kind repeats what is wrong with its metadata. */
const changes = (path: string): Step[] =>
  wrong.map((each) => merge(`${path}?dryRun=All`, { metadata: each }));

export const metadataRules: readonly Story[] = [
  story(
    "metadata of new objects",
    Object.entries(kinds).flatMap(([path, rest]) =>
      metadata.map((each) => post(`${path}?dryRun=All`, { metadata: each, ...rest })),
    ),
  ),
  story("metadata of changed objects", [
    post("/api/v1/namespaces/{ns}/configmaps", { metadata: { name: "a" } }),
    ...changes("/api/v1/namespaces/{ns}/configmaps/a"),
    post("/apis/events.k8s.io/v1/namespaces/{ns}/events", {
      metadata: { name: "a" },
      ...kinds["/apis/events.k8s.io/v1/namespaces/{ns}/events"],
    }),
    ...changes("/apis/events.k8s.io/v1/namespaces/{ns}/events/a"),
    ...changes("/api/v1/namespaces/{ns}/events/a"),
    post("/apis/events.k8s.io/v1/namespaces/{ns}/events", {
      metadata: { name: "b", finalizers: ["a", "b c"] },
      ...kinds["/apis/events.k8s.io/v1/namespaces/{ns}/events"],
    }),
  ]),
];
