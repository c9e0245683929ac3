import { get, merge, post, remove, type Step, type Story, story } from "../story.ts";
import { configMaps, type Fields, ownNamespace, tryConfigMap } from "./policy-cases.ts";

const group = "/apis/admissionregistration.k8s.io/v1";
const policies = `${group}/mutatingadmissionpolicies`;
const bindings = `${group}/mutatingadmissionpolicybindings`;

/** A policy for objects of one name, and a binding. */
function mutator(name: string, spec: Fields, rule: Fields = configMaps, objects: string = name): Step[] {
  const matchConstraints = {
    namespaceSelector: ownNamespace,
    resourceRules: [{ ...rule, resourceNames: [objects] }],
  };
  return [
    post(policies, {
      metadata: { name: `{ns}-${name}` },
      spec: { matchConstraints, reinvocationPolicy: "Never", ...spec },
    }),
    post(bindings, { metadata: { name: `{ns}-${name}` }, spec: { policyName: `{ns}-${name}` } }),
  ];
}

const applies = (...expressions: string[]): Fields => ({
  mutations: expressions.map((expression) => ({
    patchType: "ApplyConfiguration",
    applyConfiguration: { expression },
  })),
});

const patches = (...expressions: string[]): Fields => ({
  mutations: expressions.map((expression) => ({ patchType: "JSONPatch", jsonPatch: { expression } })),
});

/** Waits until all earlier policies are active. */
function inForce(): Step[] {
  const never = { matchConditions: [{ name: "fails", expression: "object.none == 1" }] };
  return [
    ...mutator("probe", { ...never, ...applies("Object{}") }),
    { ...tryConfigMap("probe"), until: 403 },
  ];
}

function gone(...names: readonly string[]): Step[] {
  return ["probe", ...names].flatMap((name) => [
    remove(`${bindings}/{ns}-${name}`),
    remove(`${policies}/{ns}-${name}`),
  ]);
}

const onConfigMaps: Readonly<Record<string, Fields>> = {
  label: applies("Object{metadata: Object.metadata{labels: {'a': 'b', 'size': object.data.size}}}"),
  data: applies("Object{data: {'more': 'yes'}}", "Object{data: {'most': object.data.more}}"),
  optional: applies("Object{?data: has(object.data.none) ? optional.of({'a': 'b'}) : optional.none()}"),
  "wrong-type": applies("Object{metadata: Object.spec{labels: {'a': 'b'}}}"),
  "wrong-field": applies("Object{spec: Object.spec{replicas: 1}}"),
  "wrong-value": applies("Object{data: {'a': 1}}"),
  "wrong-list": applies("Object{data: [1]}"),
  error: applies("Object{data: {'a': object.data.none}}"),
  renamed: applies("Object{metadata: Object.metadata{name: 'other'}}"),
  empty: applies("Object{}"),
  patch: patches("[JSONPatch{op: 'add', path: '/metadata/labels', value: {'a': 'b'}}]"),
  escaped: patches(
    "[JSONPatch{op: 'add', path: '/data/' + jsonpatch.escapeKey('a/b~c'), value: 'x'}, JSONPatch{op: 'remove', path: '/data/a~1b~0c'}]",
  ),
  moved: patches("[JSONPatch{op: 'move', from: '/data/size', path: '/data/length'}]"),
  copied: patches("[JSONPatch{op: 'copy', from: '/data/size', path: '/data/length'}]"),
  tested: patches(
    "[JSONPatch{op: 'test', path: '/data/size', value: '4'}, JSONPatch{op: 'remove', path: '/data/size'}]",
  ),
  "tested-well": patches(
    "[JSONPatch{op: 'test', path: '/data/size', value: '3'}, JSONPatch{op: 'remove', path: '/data/size'}]",
  ),
  "no-path": patches("[JSONPatch{op: 'remove', path: '/data/none'}]"),
  "no-op": patches("[JSONPatch{op: 'increase', path: '/data/size'}]"),
  "no-value": patches("[JSONPatch{op: 'add', path: '/data/none'}]"),
  "unknown-field": patches("[JSONPatch{op: 'add', path: '/spec', value: {'a': 1}}]"),
  "unknown-type": patches("[JSONPatch{op: 'add', path: '/data/none', value: 1}]"),
  none: patches("[]"),
  object: patches("[JSONPatch{op: 'add', path: '/metadata/labels', value: Object{a: 'b'}}]"),
  "object-type": patches(
    "[JSONPatch{op: 'add', path: '/metadata/labels', value: Object.metadata.labels{a: Object.b{}}}]",
  ),
  ignored: {
    failurePolicy: "Ignore",
    ...applies("Object{data: {'a': object.data.none}}", "Object{data: {'b': 'c'}}"),
  },
  "two-errors": applies("Object{data: {'a': object.data.none}}", "Object{data: {'a': object.data.nothing}}"),
  variables: {
    variables: [{ name: "twice", expression: "string(int(object.data.size) * 2)" }],
    ...applies("Object{data: {'twice': variables.twice}}", "Object{data: {'again': variables.twice}}"),
  },
  condition: {
    matchConditions: [{ name: "never", expression: "false" }],
    ...applies("Object{data: {'a': 'b'}}"),
  },
};

const names = Object.keys(onConfigMaps);

const pods: Fields = {
  apiGroups: [""],
  apiVersions: ["v1"],
  operations: ["CREATE", "UPDATE"],
  resources: ["pods"],
};

const sidecar =
  "Object{spec: Object.spec{initContainers: [Object.spec.initContainers{name: 'mesh', image: 'mesh:1', restartPolicy: 'Always'}]}}";

const onPods: Readonly<Record<string, Fields>> = {
  sidecar: {
    matchConditions: [
      {
        name: "none-yet",
        expression: "!object.spec.?initContainers.orValue([]).exists(c, c.name == 'mesh')",
      },
    ],
    ...applies(sidecar),
  },
  "sidecar-patch": patches(
    "[JSONPatch{op: 'add', path: '/spec/initContainers', value: []}, JSONPatch{op: 'add', path: '/spec/initContainers/-', value: Object.spec.initContainers{name: 'mesh', image: 'mesh:1'}}]",
  ),
  "sidecar-map": patches(
    "[JSONPatch{op: 'add', path: '/spec/initContainers/-', value: {'name': 'mesh', 'image': 'mesh:1'}}]",
  ),
  image: applies(
    "Object{spec: Object.spec{containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, image: 'mirror/' + c.image})}}",
  ),
  atomic: applies(
    "Object{spec: Object.spec{containers: [Object.spec.containers{name: 'a', command: ['sh']}]}}",
  ),
  "atomic-struct": applies(
    "Object{spec: Object.spec{tolerations: [Object.spec.tolerations{key: 'a'}], nodeSelector: {'a': 'b'}}}",
  ),
  port: applies(
    "Object{spec: Object.spec{containers: [Object.spec.containers{name: 'a', ports: [Object.spec.containers.ports{containerPort: 80, protocol: 'TCP', name: 'web'}]}]}}",
  ),
  unsound: applies(
    "Object{spec: Object.spec{containers: [Object.spec.containers{name: 'A B', image: 'b'}]}}",
  ),
  seconds: applies(
    "Object{spec: Object.spec{terminationGracePeriodSeconds: 5, priorityClassName: 'system-node-critical'}}",
  ),
};

const podNames = Object.keys(onPods);

function pod(name: string): Step {
  return post("/api/v1/namespaces/{ns}/pods?dryRun=All", {
    metadata: { name },
    spec: { containers: [{ name: "a", image: "b:1" }] },
  });
}

const spec = {
  matchConstraints: { resourceRules: [configMaps] },
  reinvocationPolicy: "Never",
  ...applies("Object{}"),
};

function tried(...list: readonly Fields[]): Step[] {
  return list.map((fields, index) =>
    post(`${policies}?dryRun=All`, { metadata: { name: `{ns}-${index}` }, spec: { ...spec, ...fields } }),
  );
}

const path = "/api/v1/namespaces/{ns}/configmaps";

export const mutatingPolicies: readonly Story[] = [
  story("what policies make of a ConfigMap", [
    ...names.flatMap((name) => mutator(name, onConfigMaps[name]!)),
    ...inForce(),
    ...names.map((name) => tryConfigMap(name)),
    ...gone(...names),
  ]),
  story("what policies make of a pod", [
    post("/api/v1/namespaces/{ns}/serviceaccounts", { metadata: { name: "default" } }),
    ...podNames.flatMap((name) => mutator(name, onPods[name]!, pods)),
    ...inForce(),
    ...podNames.map((name) => pod(name)),
    ...gone(...podNames),
  ]),
  story("policies one after the other", [
    ...mutator("a", { ...applies("Object{data: {'a': string(object.data.size())}}") }, configMaps, "x"),
    ...mutator(
      "b",
      {
        ...applies("Object{data: {'b': 'b'}}"),
        matchConditions: [{ name: "new", expression: "!has(object.data.b)" }],
      },
      configMaps,
      "x",
    ),
    ...mutator(
      "c",
      { reinvocationPolicy: "IfNeeded", ...applies("Object{data: {'c': string(object.data.size())}}") },
      configMaps,
      "y",
    ),
    ...mutator("d", { ...applies("Object{data: {'d': 'd'}}") }, configMaps, "z"),
    ...mutator(
      "e",
      {
        reinvocationPolicy: "IfNeeded",
        matchConditions: [{ name: "labelled", expression: "has(object.metadata.labels)" }],
        ...applies("Object{data: {'e': 'e'}}"),
      },
      configMaps,
      "z",
    ),
    ...inForce(),
    tryConfigMap("y"),
    tryConfigMap("z"),
    post(path, { metadata: { name: "z", labels: { a: "b" } } }),
    merge(`${path}/z`, { data: { d: null, e: "none" } }),
    merge(`${path}/z`, { data: { d: "other" } }),
    get(`${path}/z`),
    remove(`${path}/z`),
    ...gone("a", "b", "c", "d", "e"),
  ]),
  story("mutating policies that are refused", [
    post(`${policies}?dryRun=All`, { metadata: { name: "{ns}-none" } }),
    ...tried(
      { matchConstraints: undefined, reinvocationPolicy: undefined },
      { reinvocationPolicy: "Maybe" },
      { matchConstraints: { resourceRules: [{ ...configMaps, operations: ["DELETE", "CREATE"] }] } },
      { matchConstraints: { resourceRules: [{ ...configMaps, operations: ["READ"] }] } },
      { matchConstraints: { resourceRules: [] } },
      { mutations: [] },
      { mutations: [{}] },
      { mutations: [{ patchType: "Merge" }] },
      { mutations: [{ patchType: "JSONPatch" }] },
      { mutations: [{ patchType: "ApplyConfiguration" }] },
      { mutations: [{ patchType: "JSONPatch", jsonPatch: { expression: "" } }] },
      { mutations: [{ patchType: "ApplyConfiguration", jsonPatch: { expression: "[]" } }] },
      {
        mutations: [
          {
            patchType: "JSONPatch",
            jsonPatch: { expression: "[]" },
            applyConfiguration: { expression: "Object{}" },
          },
        ],
      },
      ...[
        "Objects{}",
        "{'a': 'b'}",
        "object",
        "Object.spec{}",
        "[Object{}]",
        "Object{metadata: Invalid{}}",
        "Object{metadata: Object.metadata{labels: nothing}}",
        "Object{?data: 1}",
        "variables.a",
        "true ? Object{} : Object{data: {'a': 'b'}}",
        "true ? Object{} : object",
        "  nothing  ",
        "JSONPatch{op: 'add'}",
      ].map((text) => applies(text)),
      ...[
        "JSONPatch{op: 'add'}",
        "[Object{}]",
        "[{'op': 'add'}]",
        "[JSONPatch{op: 1}]",
        "[JSONPatch{path: Object{}}]",
        "[JSONPatch{op: 'add', ?path: optional.of('/a')}]",
        "[1, JSONPatch{}]",
        "object.list",
        "[JSONPatch{op: 'remove', path: jsonpatch.escapeKey(1)}]",
        "has(object.a) ? [JSONPatch{op: 'remove', path: '/a'}] : []",
      ].map((text) => patches(text)),
      { variables: [{ name: "a", expression: "Object{}" }], ...applies("variables.a") },
      { variables: [{ name: "a", expression: "1" }], ...applies("Object{data: {'a': variables.b}}") },
      { paramKind: { apiVersion: "v1", kind: "ConfigMap" }, ...applies("Object{data: params.data}") },
      { matchConditions: [{ name: "a", expression: "Object{} == Object{}" }] },
    ),
    post(`${bindings}?dryRun=All`, { metadata: { name: "{ns}-none" } }),
    post(`${bindings}?dryRun=All`, {
      metadata: { name: "{ns}-b" },
      spec: {
        policyName: "a",
        matchResources: { resourceRules: [{ ...configMaps, operations: ["DELETE"] }] },
      },
    }),
    post(`${bindings}?dryRun=All`, { metadata: { name: "{ns}-b" }, spec: { policyName: "a", paramRef: {} } }),
  ]),
];
