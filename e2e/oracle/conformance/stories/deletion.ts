import { get, jsonPatch, merge, post, put, remove, type Story, story, apply } from "../story.ts";

const cm = "/api/v1/namespaces/{ns}/configmaps";
const pods = "/api/v1/namespaces/{ns}/pods";
const pod = { spec: { containers: [{ name: "c", image: "i" }] } };

const podTemplate = { spec: { ...pod.spec, restartPolicy: "Never" } };

const events = "/apis/events.k8s.io/v1/namespaces/{ns}/events";
const event = (name: string, metadata: object = {}) => ({
  metadata: { name, namespace: "{ns}", ...metadata },
  eventTime: "2026-01-01T00:00:00.000000Z",
  reportingController: "example.com/c",
  reportingInstance: "c-0",
  action: "Look",
  reason: "Seen",
  type: "Normal",
  regarding: { kind: "ConfigMap", name: "a", namespace: "{ns}" },
});

const jobs = "/apis/batch/v1/namespaces/{ns}/jobs";
const job = { metadata: { name: "a" }, spec: { suspend: true, template: podTemplate } };

export const deletion: readonly Story[] = [
  story("at once", [
    post(cm, { metadata: { name: "a" } }),
    remove(`${cm}/a`),
    remove(`${cm}/a`),
    get(`${cm}/a`),
  ]),
  story("with finalizers", [
    post(cm, { metadata: { name: "a", finalizers: ["example.com/f", "example.com/g"] } }),
    remove(`${cm}/a`),
    remove(`${cm}/a`),
    get(`${cm}/a`),
    merge(`${cm}/a`, { metadata: { finalizers: ["example.com/f", "example.com/g", "example.com/h"] } }),
    merge(`${cm}/a`, { data: { still: "writable" } }),
    merge(`${cm}/a`, { metadata: { finalizers: ["example.com/g"] } }),
    merge(`${cm}/a`, { metadata: { deletionTimestamp: null } }),
    jsonPatch(`${cm}/a`, [{ op: "remove", path: "/metadata/finalizers" }]),
    get(`${cm}/a`),
  ]),
  story("preconditions", [
    post(cm, { metadata: { name: "a" } }),
    remove(`${cm}/a`, { preconditions: { uid: "wrong" } }),
    remove(`${cm}/a`, { preconditions: { resourceVersion: "1" } }),
    remove(`${cm}/a`, {
      kind: "DeleteOptions",
      apiVersion: "v1",
      preconditions: { uid: "{1.metadata.uid}" },
    }),
  ]),
  story("options", [
    post(cm, { metadata: { name: "a" } }),
    remove(`${cm}/a?dryRun=All`),
    remove(`${cm}/a`, { dryRun: ["All"] }),
    remove(`${cm}/a`, { dryRun: ["Some"] }),
    remove(`${cm}/a`, { propagationPolicy: "Sideways" }),
    remove(`${cm}/a`, { propagationPolicy: "Orphan", orphanDependents: true }),
    remove(`${cm}/a?gracePeriodSeconds=x`),
    remove(`${cm}/a`, "nonsense"),
    remove(`${cm}/a`, { propagationPolicy: "Foreground" }),
    get(`${cm}/a`),
    remove(`${cm}/a`, { propagationPolicy: "Background" }),
    post(cm, { metadata: { name: "b" } }),
    remove(`${cm}/b?propagationPolicy=Orphan`),
    post(cm, { metadata: { name: "c" } }),
    remove(`${cm}/c`, { gracePeriodSeconds: 0 }),
    post(cm, { metadata: { name: "d", finalizers: ["a.b/c"] } }),
    remove(`${cm}/d`, { orphanDependents: false }),
  ]),
  story("a collection", [
    post(cm, { metadata: { name: "a", labels: { app: "x" } } }),
    post(cm, { metadata: { name: "b", labels: { app: "y" } } }),
    post(cm, { metadata: { name: "c", labels: { app: "x" }, finalizers: ["a.b/c"] } }),
    remove(`${cm}?labelSelector=app%3Dx`),
    get(cm),
    remove(`${cm}?dryRun=All`),
    remove(cm),
  ]),
  story("Pods", [
    post(pods, { metadata: { name: "a" }, ...pod }),
    remove(`${pods}/a`),
    post(pods, { metadata: { name: "b" }, spec: { ...pod.spec, nodeName: "n" } }),
    remove(`${pods}/b`),
    get(`${pods}/b`),
    remove(`${pods}/b`),
    remove(`${pods}/b`, { gracePeriodSeconds: 10 }),
    remove(`${pods}/b`, { gracePeriodSeconds: 0 }),
    get(`${pods}/b`),
    post(pods, {
      metadata: { name: "c", finalizers: ["a.b/c"] },
      spec: { ...pod.spec, nodeName: "n", terminationGracePeriodSeconds: 5 },
    }),
    remove(`${pods}/c`),
    remove(`${pods}/c`, { gracePeriodSeconds: 0 }),
    jsonPatch(`${pods}/c`, [{ op: "remove", path: "/metadata/finalizers" }]),
  ]),
  story("Jobs orphan by default", [
    post("/apis/batch/v1/namespaces/{ns}/jobs", {
      metadata: { name: "j" },
      spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
    }),
    remove("/apis/batch/v1/namespaces/{ns}/jobs/j"),
    get("/apis/batch/v1/namespaces/{ns}/jobs/j"),
  ]),
  story("Namespaces", [
    remove("/api/v1/namespaces/default"),
    remove("/api/v1/namespaces/kube-system"),
    remove("/api/v1/namespaces/{ns}"),
    get("/api/v1/namespaces/{ns}"),
    post(cm, { metadata: { name: "late" } }),
  ]),
  story("Events, which have no dependents", [
    ...[
      { propagationPolicy: "Foreground" },
      { propagationPolicy: "Orphan" },
      { orphanDependents: true },
    ].flatMap((options) => [post(events, event("a")), remove(`${events}/a`, options), get(`${events}/a`)]),
    post(events, event("a")),
    remove(events, { orphanDependents: true }),
    put(`${events}/a`, event("a")),
    post(events, event("b", { finalizers: ["example.com/f", "orphan"] })),
    remove(`${events}/b`),
    merge(`${events}/b`, { metadata: { finalizers: null } }),
  ]),
  story("Jobs, whose pods stay if nothing else is said", [
    post(jobs, job),
    remove(`${jobs}/a`, { orphanDependents: false }),
    remove(`${jobs}?labelSelector=none`),
    remove(`${jobs}?labelSelector=none`, { propagationPolicy: null, preconditions: null }),
    remove(`${jobs}?labelSelector=none`, { propagationPolicy: "Background" }),
    remove(`${jobs}?labelSelector=none&propagationPolicy=Orphan`),
    post(jobs, job),
    remove(jobs, { preconditions: { uid: "wrong" } }),
    remove(jobs, { preconditions: { uid: null } }),
  ]),
  story("an object that is created as being deleted", [
    apply("/api/v1/namespaces/{ns}/configmaps/a?fieldManager=one", {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a", deletionTimestamp: "2026-01-01T00:00:00Z" },
    }),
    get("/api/v1/namespaces/{ns}/configmaps/a"),
    apply("/api/v1/namespaces/{ns}/configmaps/a?fieldManager=two", {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a" },
    }),
    get("/api/v1/namespaces/{ns}/configmaps/a"),
  ]),
];
