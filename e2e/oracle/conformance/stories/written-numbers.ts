import {
  apply,
  get,
  jsonPatch,
  merge,
  post,
  put,
  type Step,
  type Story,
  story,
  strategic,
} from "../story.ts";

const deployments = "/apis/apps/v1/namespaces/{ns}/deployments";
const budgets = "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets";
const maps = "/api/v1/namespaces/{ns}/configmaps";
const foos = "/apis/{group}/v1/namespaces/{ns}/foos";

/** A Deployment as text: JavaScript would not write `1.0`. */
const deployment = (replicas: string, container = ""): string =>
  `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"replicas":${replicas},"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"${container}}]}}}}`;
const create = (text: string): Step => post(deployments, text);
const applied = (replicas: string): Step =>
  apply(
    `${deployments}/d?fieldManager=m&force=true`,
    `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"replicas":${replicas}}}`,
  );
const replicas = { type: "object", properties: { count: { type: "integer" }, share: { type: "number" } } };
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
        schema: { openAPIV3Schema: { type: "object", properties: { spec: replicas } } },
      },
    ],
  },
};
const foo = (name: string, count: string): Step =>
  post(
    foos,
    `{"apiVersion":"{group}/v1","kind":"Foo","metadata":{"name":"${name}"},"spec":{"count":${count},"share":${count}}}`,
  );

const number = { type: "number" };
const measures = {
  metadata: { name: "measures.{group}" },
  spec: {
    group: "{group}",
    scope: "Namespaced",
    names: { plural: "measures", singular: "measure", kind: "Measure", listKind: "MeasureList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              set: { type: "array", items: number, "x-kubernetes-list-type": "set" },
              map: {
                type: "array",
                items: { type: "object", required: ["key"], properties: { key: number, value: number } },
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["key"],
              },
            },
          },
        },
      },
    ],
  },
};
const measured = (manager: string, fields: string): Step =>
  apply(
    `/apis/{group}/v1/namespaces/{ns}/measures/a?fieldManager=${manager}`,
    `{"apiVersion":"{group}/v1","kind":"Measure","metadata":{"name":"a"},${fields}}`,
  );

export const writtenNumbers: readonly Story[] = [
  story("integers that are written as floats", [
    ...["1.0", "1e0", "1E3", "-1.0", "1.50", "1e-1", "-0"].map((text) => create(deployment(text))),
    put(`${deployments}/d`, deployment("6.0")),
    merge(`${deployments}/d`, '{"spec":{"replicas":3.0}}'),
    jsonPatch(`${deployments}/d`, '[{"op":"replace","path":"/spec/replicas","value":4.0}]'),
    strategic(`${deployments}/d`, '{"spec":{"replicas":5.0}}'),
    applied("7.0"),
    applied("7.5"),
    get(`${deployments}/d`),
  ]),
  story("integers of more than 32 bits", [
    create(deployment("4294967301")),
    ...["4294967301", "2147483648", "-2147483649", "1e30", "9223372036854775808"].flatMap((text) => [
      strategic(`${deployments}/d`, `{"spec":{"replicas":${text}}}`),
      applied(text),
    ]),
    strategic(`${deployments}/d`, '{"spec":{"strategy":{"rollingUpdate":{"maxSurge":4294967297}}}}'),
    apply(
      "/api/v1/namespaces/{ns}/services/a?fieldManager=numbers",
      '{"apiVersion":"v1","kind":"Service","metadata":{"name":"a"},"spec":{"clusterIP":"None","ports":[{"port":4294967376}]}}',
    ),
  ]),
  story("other fields that are written as floats", [
    create(deployment("1", ',"ports":[{"containerPort":80.0}]')),
    create(deployment("1", ',"livenessProbe":{"httpGet":{"port":80.0}}')),
    create(deployment("1", ',"image":1.0')),
    create(deployment("1", ',"tty":1.0')),
    create(deployment("1", ',"resources":{"limits":{"cpu":1.0,"memory":10.50}}')),
    post(budgets, '{"metadata":{"name":"a"},"spec":{"minAvailable":1.0}}'),
    post(maps, '{"metadata":{"name":"a","generation":1.0}}'),
    post(maps, '{"metadata":{"name":"a"},"data":{"a":"[1.0]","b":"\\",1.0,"}}'),
    post(maps, '{"metadata":{"name":"nul"},"data":{"a":"\\u0000","b":"\\u00001.0"}}'),
  ]),
  story(
    "numbers of custom objects that are written as floats",
    [foo("a", "1.0"), foo("b", "1e3"), foo("c", "1.5"), merge(`${foos}/a`, '{"spec":{"count":2.0}}')],
    [crd],
  ),
  story(
    "small and large numbers in the paths of managed fields",
    [
      measured("m", '"set":[1e-7,0.0000001234,1e-10,0.000001,1e20,1e21],"map":[{"key":1e-7,"value":1}]'),
      measured("n", '"map":[{"key":0.0000001,"value":2}]'),
    ],
    [measures],
  ),
];
