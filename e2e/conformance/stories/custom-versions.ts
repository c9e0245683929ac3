import { apply, get, merge, post, put, type Step, type Story, story } from "../story.ts";

const foos = (version: string): string => `/apis/{group}/${version}/namespaces/{ns}/foos`;
const foo = (version: string): Step =>
  post(foos(version), {
    apiVersion: `{group}/${version}`,
    kind: "Foo",
    metadata: { name: "a" },
    spec: { replicas: 1, x: "1" },
  });
const scale = (version: string, replicas: number): Step =>
  put(`${foos(version)}/a/scale?fieldManager=scaler`, {
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata: { name: "a", namespace: "{ns}" },
    spec: { replicas },
  });
const change = (version: string, x: string): Step =>
  merge(`${foos(version)}/a?fieldManager=editor`, { spec: { x } });
const status = (version: string): Step =>
  merge(`${foos(version)}/a/status?fieldManager=operator`, { status: { replicas: 5 } });
const applied = (version: string, manager: string, spec: object): Step =>
  apply(`${foos(version)}/a?fieldManager=${manager}&force=true`, {
    apiVersion: `{group}/${version}`,
    kind: "Foo",
    metadata: { name: "a" },
    spec,
  });
const both = ["v1", "v2"].map((version) => get(`${foos(version)}/a`));

const count = { type: "object", properties: { replicas: { type: "integer" } } };
const versionOf = (name: string, more: object) => ({
  name,
  served: true,
  storage: name === "v1",
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
          properties: { replicas: { type: "integer" }, x: { type: "string" }, ...more },
        },
        status: count,
      },
    },
  },
});

/** The second version has a field with a default that the first one, which is stored, does not know. */
const crd = {
  metadata: { name: "foos.{group}" },
  spec: {
    group: "{group}",
    scope: "Namespaced",
    names: { plural: "foos", singular: "foo", kind: "Foo", listKind: "FooList" },
    versions: [versionOf("v1", {}), versionOf("v2", { added: { type: "string", default: "yes" } })],
  },
};

export const customVersions: readonly Story[] = [
  story(
    "a field that another manager's version does not know",
    [foo("v1"), change("v2", "2"), ...both],
    [crd],
  ),
  story("the status in another version", [foo("v1"), status("v2"), ...both, change("v1", "2")], [crd]),
  story("the scale in another version", [foo("v1"), scale("v2", 3), ...both, change("v2", "2")], [crd]),
  story(
    "an older version of a newer object",
    [foo("v2"), change("v1", "2"), ...both, scale("v1", 4), ...both],
    [crd],
  ),
  story(
    "applying a field that another manager's version does not know",
    [foo("v1"), applied("v2", "m", { added: "no" }), applied("v2", "m", { x: "2", added: "no" }), ...both],
    [crd],
  ),
  story(
    "applying again what another manager's version does not know",
    [
      applied("v2", "m", { added: "no" }),
      applied("v1", "n", { x: "1" }),
      applied("v2", "m", { added: "yes" }),
      applied("v1", "m", { x: "1" }),
      ...both,
    ],
    [crd],
  ),
  story(
    "applying what is there in a version with more defaults",
    [foo("v1"), applied("v2", "m", { x: "1" }), ...both, applied("v2", "m", { x: "2" }), ...both],
    [crd],
  ),
];
