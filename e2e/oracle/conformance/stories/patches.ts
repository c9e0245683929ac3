import { get, jsonPatch, merge, post, type Story, story, strategic } from "../story.ts";

const cm = "/api/v1/namespaces/{ns}/configmaps";
const deployments = "/apis/apps/v1/namespaces/{ns}/deployments";

const deployment = {
  metadata: { name: "d" },
  spec: {
    selector: { matchLabels: { app: "d" } },
    template: {
      metadata: { labels: { app: "d" } },
      spec: {
        containers: [
          {
            name: "a",
            image: "a:1",
            env: [
              { name: "X", value: "1" },
              { name: "Y", value: "2" },
            ],
            ports: [{ containerPort: 80 }],
          },
          { name: "b", image: "b:1" },
        ],
      },
    },
  },
};

export const patches: readonly Story[] = [
  story("merge patch", [
    post(cm, { metadata: { name: "a", labels: { a: "1", b: "2" } }, data: { k: "v", l: "w" } }),
    merge(`${cm}/a`, { data: { k: null, m: "x" }, metadata: { labels: { a: "3" } } }),
    merge(`${cm}/a`, { data: null }),
    merge(`${cm}/a`, []),
    merge(`${cm}/a`, "nonsense"),
    merge(`${cm}/a`, { metadata: { resourceVersion: "1" }, data: { z: "z" } }),
    merge(`${cm}/missing`, { data: {} }),
    merge(`${cm}/a?fieldValidation=Strict`, { dta: { a: "b" } }),
    merge(`${cm}/a`, { dta: { a: "b" }, data: { q: "r" } }),
    merge(`${cm}/a?dryRun=All`, { data: { dry: "run" } }),
    merge(`${cm}/a`, { data: { n: 1 } }),
    get(`${cm}/a`),
  ]),
  story("JSON patch", [
    post(cm, { metadata: { name: "a", annotations: { "x/y": "c" } }, data: { k: "v" } }),
    jsonPatch(`${cm}/a`, [{ op: "add", path: "/data/l", value: "w" }]),
    jsonPatch(`${cm}/a`, [{ op: "replace", path: "/metadata/annotations/x~1y", value: "d" }]),
    jsonPatch(`${cm}/a`, [
      { op: "test", path: "/data/k", value: "v" },
      { op: "remove", path: "/data/k" },
    ]),
    jsonPatch(`${cm}/a`, [{ op: "test", path: "/data/k", value: "v" }]),
    jsonPatch(`${cm}/a`, [{ op: "remove", path: "/data/missing" }]),
    jsonPatch(`${cm}/a`, [{ op: "add", path: "/nope/x", value: 1 }]),
    jsonPatch(`${cm}/a`, [{ op: "replace", path: "/data/missing", value: "x" }]),
    jsonPatch(`${cm}/a`, [
      { op: "copy", from: "/data/l", path: "/data/m" },
      { op: "move", from: "/data/l", path: "/data/n" },
    ]),
    jsonPatch(`${cm}/a`, [{ op: "frobnicate", path: "/data" }]),
    jsonPatch(`${cm}/a`, { op: "add" }),
    jsonPatch(`${cm}/a`, []),
    jsonPatch(`${cm}/a`, [{ op: "add", path: "/metadata/labels", value: { a: "b" } }]),
    jsonPatch(`${cm}/a`, [{ op: "replace", path: "/metadata/name", value: "b" }]),
    jsonPatch(`${cm}/a`, [{ op: "add", path: "/dta", value: {} }]),
  ]),
  story("strategic merge patch", [
    post(deployments, deployment),
    strategic(`${deployments}/d`, {
      spec: { template: { spec: { containers: [{ name: "b", image: "b:2" }] } } },
    }),
    strategic(`${deployments}/d`, {
      spec: { template: { spec: { containers: [{ name: "a", env: [{ name: "X", $patch: "delete" }] }] } } },
    }),
    strategic(`${deployments}/d`, {
      spec: {
        template: {
          spec: {
            containers: [{ name: "c", image: "c" }],
            "$setElementOrder/containers": [{ name: "c" }, { name: "a" }, { name: "b" }],
          },
        },
      },
    }),
    strategic(`${deployments}/d`, { metadata: { annotations: { a: "b" }, finalizers: ["x.y/z"] } }),
    strategic(`${deployments}/d`, { metadata: { "$deleteFromPrimitiveList/finalizers": ["x.y/z"] } }),
    strategic(`${deployments}/d`, { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } }),
    strategic(`${deployments}/d`, { spec: { template: { spec: { containers: [{ image: "nameless" }] } } } }),
    strategic(`${deployments}/d`, { spec: { replicas: null } }),
    strategic(`${deployments}/d`, {
      spec: { template: { spec: { containers: [{ $patch: "replace" }, { name: "only", image: "o" }] } } },
    }),
    strategic(`${deployments}/d`, "[]"),
  ]),
  story("unknown patch types", [
    post(cm, { metadata: { name: "a" } }),
    { method: "PATCH", path: `${cm}/a`, type: "application/json", body: {} },
    { method: "PATCH", path: `${cm}/a`, type: "text/plain", body: "x" },
  ]),
  story("strategic patch: deletions make room for what is new", [
    post(deployments, {
      ...deployment,
      spec: {
        ...deployment.spec,
        template: {
          ...deployment.spec.template,
          spec: { containers: ["a", "b", "d"].map((name) => ({ name, image: `${name}:1` })) },
        },
      },
    }),
    strategic(`${deployments}/d`, {
      spec: {
        template: {
          spec: {
            "$setElementOrder/containers": [{ name: "b" }, { name: "c" }],
            containers: [
              { name: "c", image: "c:1" },
              { name: "a", $patch: "delete" },
            ],
          },
        },
      },
    }),
    strategic(`${deployments}/d`, {
      spec: {
        template: {
          spec: {
            "$setElementOrder/containers": [{ name: "e" }, { name: "b" }, { name: "f" }],
            containers: [
              { name: "e", image: "e:1" },
              { name: "f", image: "f:1" },
              { name: "c", $patch: "delete" },
              { name: "d", $patch: "delete" },
            ],
          },
        },
      },
    }),
  ]),
];
