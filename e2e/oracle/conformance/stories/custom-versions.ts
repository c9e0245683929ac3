import { apply, get, jsonPatch, merge, post, put, type Step, type Story, story } from "../story.ts";
import type { Fields } from "./pod-cases.ts";

const foos = (version: string): string => `/apis/{group}/${version}/namespaces/{ns}/foos`;
const foo = (version: string, query = "", name = "a"): Step =>
  post(`${foos(version)}${query}`, {
    apiVersion: `{group}/${version}`,
    kind: "Foo",
    metadata: { name },
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

/** A CRD with one version, to which `bumped` adds a second one. */
const young = {
  ...crd,
  spec: { ...crd.spec, versions: [{ ...versionOf("v1", {}), storage: true }] },
};
const definition = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/foos.{group}";
const table = "application/json;as=Table;v=v1;g=meta.k8s.io";

/** The second version is stored from now on, and may have a field with a default that the first one lacks. */
const bumped = (more: Fields, isServed = true): readonly Step[] => [
  merge(
    `${definition}?includeObject=None`,
    {
      spec: {
        versions: [
          { ...versionOf("v1", {}), served: isServed, storage: false },
          { ...versionOf("v2", more), storage: true },
        ],
      },
    },
    // The real server's controllers are managers of a CRD, too.
    { accept: table },
  ),
  { ...foo("v2", "?dryRun=All", "b"), until: Object.keys(more)[0] ?? 201 },
];
const nb = { nb: { type: "string", default: "yes" } };

/** An object that was applied in the first version meets a default of the second one. */
const afterBump = (name: string, isServed: boolean, between: readonly Step[], last: readonly Step[]): Story =>
  story(
    name,
    [
      applied("v1", "m", { x: "1" }),
      ...between,
      ...bumped({}, isServed),
      // Stores it in the second version, so that its defaults show.
      merge(`${foos("v2")}/a?fieldManager=mover`, { metadata: { annotations: { moved: "yes" } } }),
      ...bumped(nb, isServed),
      ...last,
    ],
    [young],
  );
const lastWrites = [
  applied("v2", "m", { x: "1" }),
  applied("v2", "m", { x: "2" }),
  applied("v2", "n", { replicas: 3 }),
  applied("v2", "m", { x: "2", nb: "no" }),
  change("v2", "3"),
  status("v2"),
  get(`${foos("v2")}/a`),
];

export const customVersions: readonly Story[] = [
  afterBump("applying after a version with a new default", true, [], lastWrites),
  afterBump("applying after a version is no longer served", false, [], lastWrites),
  afterBump(
    "applying beside an updater of an old version",
    true,
    [change("v1", "2"), status("v1")],
    lastWrites,
  ),
  afterBump(
    "applying beside an updater of a version that is no longer served",
    false,
    [change("v1", "2"), status("v1")],
    lastWrites,
  ),
  afterBump(
    "applying with the managers moved to the new version",
    true,
    [],
    [
      jsonPatch(`${foos("v2")}/a`, [
        { op: "replace", path: "/metadata/managedFields/0/apiVersion", value: "{group}/v2" },
      ]),
      ...lastWrites,
    ],
  ),
  afterBump(
    "an update after a version with a new default",
    true,
    [],
    [change("v2", "3"), applied("v2", "m", { x: "3" }), get(`${foos("v2")}/a`)],
  ),
  story(
    "applying beside a manager of an unknown version",
    [
      foo("v1"),
      jsonPatch(`${foos("v1")}/a`, [
        { op: "replace", path: "/metadata/managedFields/0/apiVersion", value: "{group}/v9" },
      ]),
      applied("v2", "m", { x: "2" }),
      ...both,
    ],
    [crd],
  ),
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
