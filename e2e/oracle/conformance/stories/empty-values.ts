import { apply, get, merge, post, put, remove, jsonPatch, strategic, type Story, story } from "../story.ts";

const roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles";
const slices = "/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices";
const nodes = "/apis/storage.k8s.io/v1/csinodes";
const ranges = "/api/v1/namespaces/{ns}/limitranges";
const things = "/apis/{group}/v1/namespaces/{ns}/things";
const secrets = "/api/v1/namespaces/{ns}/secrets?dryRun=All";
const maps = "/api/v1/namespaces/{ns}/configmaps?dryRun=All";
const requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests?dryRun=All";
const webhooks = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All";
const volumes = "/api/v1/persistentvolumes";
const table = "application/json;as=Table;v=v1;g=meta.k8s.io";

const metadata = { name: "a" };
const rule = { apiGroups: [""], resources: ["pods"], verbs: ["get"] };
const slice = { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", metadata, addressType: "IPv4" };
const volume = {
  metadata: { name: "{ns}" },
  spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, hostPath: { path: "/a" } },
};
const thing = { apiVersion: "{group}/v1", kind: "Thing", metadata };

const definition = {
  metadata: { name: "things.{group}" },
  spec: {
    group: "{group}",
    scope: "Namespaced",
    names: { plural: "things", kind: "Thing", singular: "thing", listKind: "ThingList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
        },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: { replicas: { type: "integer" }, port: { type: "string" } },
              },
              status: {
                type: "object",
                properties: {
                  replicas: { type: "integer" },
                  b: {
                    type: "object",
                    "x-kubernetes-embedded-resource": true,
                    "x-kubernetes-preserve-unknown-fields": true,
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
};

const scaled = (replicas: number): object => ({
  apiVersion: "autoscaling/v1",
  kind: "Scale",
  metadata: { name: "a", namespace: "{ns}" },
  spec: { replicas },
});
const certificate = (request: unknown): object => ({
  metadata,
  spec: { request, signerName: "a.b/c", usages: ["any"] },
});

/** Empty lists, bytes and counts, which Go knows in more forms than JSON, and who owns them. */
export const emptyValues: readonly Story[] = [
  story("a role without rules", [
    post(roles, { metadata }),
    jsonPatch(`${roles}/a`, []),
    merge(`${roles}/a`, { metadata: { labels: { a: "b" } } }),
  ]),
  story("a role with an empty list of rules", [
    post(roles, { metadata, rules: [] }),
    put(`${roles}/a`, { metadata }),
    merge(`${roles}/a`, { rules: [] }),
    merge(`${roles}/a?fieldManager=x`, { rules: [rule] }),
    merge(`${roles}/a?fieldManager=y`, { rules: [] }),
    get(`${roles}/a`),
  ]),
  story("a slice without endpoints and ports", [
    post(slices, slice),
    put(`${slices}/a`, { ...slice, endpoints: [], ports: [] }),
    merge(`${slices}/a`, { metadata: { labels: { a: "b" } } }),
    merge(`${slices}/a?fieldManager=x`, { endpoints: [{ addresses: ["1.2.3.4"] }] }),
    merge(`${slices}/a?fieldManager=y`, { endpoints: null, ports: [{}] }),
    get(`${slices}/a`, table),
    apply(`${slices}/b?fieldManager=x`, { ...slice, metadata: { name: "b" }, endpoints: [], ports: [] }),
  ]),
  story("a CSINode without drivers, and limits without items", [
    post(`${nodes}?dryRun=All`, { metadata: { name: "{ns}" }, spec: { drivers: [] } }),
    post(ranges, { metadata, spec: { limits: [] } }),
    strategic(`${ranges}/a?dryRun=All`, {
      spec: { limits: [{ type: "Container", maxLimitRequestRatio: { memory: null } }] },
    }),
    merge(`${ranges}/a?dryRun=All`, { spec: { limits: [{ type: "Container", max: { memory: null } }] } }),
  ]),
  story(
    "replicas of zero have no owner",
    [
      post(things, { ...thing, spec: {} }),
      put(`${things}/a/scale`, scaled(0)),
      get(`${things}/a`),
      get(`${things}/a/scale`, table),
      put(`${things}/a/scale`, scaled(3)),
      put(`${things}/a/scale?fieldManager=b`, scaled(3)),
      get(`${things}/a`),
      merge(`${things}/a/scale?fieldManager=c`, { spec: { replicas: null } }),
      get(`${things}/a`),
      apply(`${things}/a?fieldManager=m1`, { ...thing, spec: { replicas: 2 } }),
      merge(`${things}/a/scale?fieldManager=c`, { spec: { replicas: 4 } }),
      get(`${things}/a`),
    ],
    [definition],
  ),
  story(
    "an embedded resource in a status is not validated when it is written",
    [
      post(things, { ...thing, spec: {} }),
      apply(`${things}/a/status?fieldManager=m1`, { ...thing, status: { b: {} } }),
      apply(`${things}/a?fieldManager=m1`, { ...thing, spec: { port: "x" } }),
      get(`${things}/a`),
    ],
    [definition],
  ),
  story("bytes as lists of numbers", [
    post(secrets, { metadata, data: { a: "", b: null, c: [], d: [1, 2, 255] } }),
    post(secrets, { metadata, data: { a: [1, 256] } }),
    post(secrets, { metadata, data: { a: ["x", {}] } }),
    post(secrets, { metadata, data: { a: [null, 1.5] } }),
    post(secrets, { metadata, data: { a: [null, -1] } }),
    post(maps, { metadata, binaryData: { a: "", b: null, c: [], d: [1, 2, 255] } }),
    ...[[], "", [1, 2]].map((request) => post(requests, certificate(request))),
    post(webhooks, {
      metadata: { name: "{ns}" },
      webhooks: [
        {
          name: "a.b.example.com",
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
          clientConfig: { url: "https://127.0.0.1:1/a", caBundle: "" },
        },
      ],
    }),
  ]),
  story("a volume without a status keeps its phase and when it began", [
    post(volumes, volume),
    put(`${volumes}/{ns}/status`, volume),
    put(`${volumes}/{ns}/status`, { ...volume, status: { phase: "Available" } }),
    remove(`${volumes}/{ns}`),
  ]),
];
