import { get, merge, post, put, remove, type Story, story } from "../story.ts";

const table = "application/json;as=Table;v=v1;g=meta.k8s.io";
const metadata = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
const metadataOfList = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";

const core = "/api/v1/namespaces/{ns}";
const protobuf = { type: "application/vnd.kubernetes.protobuf" };
const apps = "/apis/apps/v1/namespaces/{ns}";
const foos = "/apis/{group}/v1/namespaces/{ns}/foos";

const autoscalers = "/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers";

/** Its annotation stands for a field of version 2. */
const autoscaler = {
  metadata: {
    name: "a",
    annotations: {
      "autoscaling.alpha.kubernetes.io/behavior":
        '{"scaleUp":{"stabilizationWindowSeconds":5,"policies":[{"type":"Pods","value":2,"periodSeconds":9}]}}',
    },
  },
  spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" }, maxReplicas: 3 },
};
const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
const workload = { metadata: { name: "a" }, spec: { selector: { matchLabels: { a: "b" } }, template } };

const crd = {
  metadata: { name: "foos.{group}" },
  spec: {
    group: "{group}",
    scope: "Namespaced",
    names: { plural: "foos", singular: "foo", kind: "Foo", listKind: "FooList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
        },
        additionalPrinterColumns: [{ name: "R", type: "integer", jsonPath: ".spec.replicas" }],
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};

/** Kinds of groups whose names in Go are told by their errors. */
const lists = [
  `${core}/events`,
  "/apis/events.k8s.io/v1/namespaces/{ns}/events",
  "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles",
  "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
  "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
  "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers",
  foos,
];

export const representations: readonly Story[] = [
  story(
    "metadata of a list where there is one object, and the other way round",
    [
      post(`${core}/configmaps`, { metadata: { name: "a" } }),
      get(`${core}/configmaps/a`, metadata),
      get(`${core}/configmaps/a`, metadataOfList),
      get(`${core}/configmaps`, metadata),
      post(`${core}/configmaps`, { metadata: { name: "b" } }, { accept: metadataOfList }),
      get(`${core}/configmaps/b`),
      { ...remove(`${core}/configmaps/b`), accept: metadataOfList },
      ...lists.map((path) => get(path, metadata)),
      post(foos, { apiVersion: "{group}/v1", kind: "Foo", metadata: { name: "a" }, spec: { replicas: 2 } }),
      get(`${foos}/a`, metadataOfList),
      get(`${foos}/a/status`, metadataOfList),
      get(`${foos}/a/scale`, metadataOfList),
    ],
    [crd],
  ),
  story(
    "Tables of subresources",
    [
      post(`${apps}/deployments`, workload),
      get(`${apps}/deployments/a/scale`, table),
      put(
        `${apps}/deployments/a/scale`,
        { metadata: { name: "a", namespace: "{ns}" }, spec: { replicas: 2 } },
        { accept: table },
      ),
      get(`${apps}/deployments/a/status`, table),
      get(`${apps}/deployments/a/scale`, metadataOfList),
      post(foos, { apiVersion: "{group}/v1", kind: "Foo", metadata: { name: "a" }, spec: { replicas: 2 } }),
      get(`${foos}/a/scale`, table),
      get(`${foos}/a/status`, table),
      get("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/x/status", table),
      get("/apis/apiregistration.k8s.io/v1/apiservices/v1.apps/status", table),
      get("/apis/resource.k8s.io/v1/namespaces/{ns}/resourceclaims/a/status", table),
      get("/apis/certificates.k8s.io/v1/certificatesigningrequests/a/approval", table),
      get(`${core}/pods/a/resize`, table),
      get(`${core}/pods/a/status`, table),
      post(`${core}/pods/a/binding`, {}, { accept: table }),
      put("/api/v1/namespaces/default/finalize", {}, { accept: table }),
    ],
    [crd],
  ),
  story("metadata of kinds that a version adds annotations to", [
    post(`${apps}/daemonsets`, workload),
    get(`${apps}/daemonsets/a`, metadata),
    get(`${apps}/daemonsets`, metadataOfList),
    get(`${apps}/daemonsets`, table),
    get(`${apps}/daemonsets?includeObject=Object`, table),
    merge(`${apps}/daemonsets/a`, { metadata: { annotations: { x: "y" } } }),
    get(`${apps}/daemonsets/a`, table),
    post(`${autoscalers}?dryRun=All`, autoscaler),
    post(autoscalers, autoscaler),
    get(autoscalers, table),
    get(autoscalers, metadataOfList),
    get(autoscalers.replace("v1", "v2"), metadataOfList),
  ]),
  story("bodies in protobuf", [
    post(`${core}/configmaps`, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }, protobuf),
    post(`${core}/configmaps`, { apiVersion: "v1", kind: "Secret", metadata: { name: "a" } }, protobuf),
    post(`${core}/configmaps`, { apiVersion: "v1", kind: "Foo", metadata: { name: "a" } }, protobuf),
    ...["x".repeat(40), "x", "{}", `{"a":"${"b".repeat(40)}"}`].map((body) =>
      post(`${core}/configmaps`, body, protobuf),
    ),
    post(`${core}/configmaps`, "", protobuf),
  ]),
];
