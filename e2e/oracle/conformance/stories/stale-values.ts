import { apply, get, merge, post, put, remove, type Step, type Story, story } from "../story.ts";
import type { Fields } from "./pod-cases.ts";

const table = "application/json;as=Table;v=v1;g=meta.k8s.io";
const loose = (version: string): string => `/apis/{group}/${version}/namespaces/{ns}/bars`;
const names = { plural: "bars", singular: "bar", kind: "Bar", listKind: "BarList" };

/** A field whose type differs in two versions that nobody converts, with what the strict version says of it. */
interface Case {
  readonly field: Fields;
  readonly more?: Fields;
  readonly spec?: Fields;
}

const rule = (text: string, more: Fields = {}): Fields => ({ rule: text, message: text, ...more });
const valid = (...rules: Fields[]): Fields => ({ "x-kubernetes-validations": rules });

/** A version that keeps everything, and a strict one. */
function definition({ field, more = {}, spec = {} }: Case): object {
  const part = (name: string, properties: Fields, extra: Fields): Fields => ({
    name,
    served: true,
    storage: name === "v1",
    schema: { openAPIV3Schema: { type: "object", properties } },
    ...extra,
  });
  const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const strict = {
    spec: { type: "object", properties: { x: field, y: { type: "string" } }, ...spec },
    status: { type: "object", properties: { x: field, y: { type: "string" } } },
  };
  return {
    metadata: { name: "bars.{group}" },
    spec: {
      group: "{group}",
      scope: "Namespaced",
      names,
      versions: [
        part("v1", { spec: open, status: open }, { subresources: { status: {} } }),
        part("v2", strict, more),
      ],
    },
  };
}

const stored = (name: string, x: unknown): Step =>
  post(loose("v1"), { apiVersion: "{group}/v1", kind: "Bar", metadata: { name }, spec: { x, y: "a" } });

/** The requests to an object in the strict version, from a read to the write that corrects it. */
const visits = (name: string, good: unknown): readonly Step[] => {
  const path = `${loose("v2")}/${name}`;
  const object = (spec: Fields): Fields => ({
    apiVersion: "{group}/v2",
    kind: "Bar",
    metadata: { name },
    spec,
  });
  return [
    get(path),
    get(loose("v2"), table),
    merge(path, { metadata: { labels: { a: "b" } } }),
    merge(path, { spec: { y: "b" } }),
    apply(`${path}?fieldManager=m&force=true`, object({ y: "c" })),
    merge(path, { spec: { x: good } }),
    merge(path, { spec: { y: "d" } }),
    remove(path),
  ];
};

const values: ReadonlyArray<readonly [string, unknown]> = [
  ["text", "a"],
  ["number", 3],
  ["bool", true],
  ["list", ["a"]],
  ["object", { a: "b" }],
  ["mixed", [1.5, { a: 1 }]],
];

/** Objects with a value of each type but for some, in a version whose field has one type. */
const ofType = (name: string, good: unknown, definitionCase: Case, without: readonly string[] = []): Story =>
  story(
    `values of other types than ${name}`,
    values
      .filter(([value]) => !without.includes(value))
      .flatMap(([value, x]) => [stored(value, x), ...visits(value, good)]),
    [definition(definitionCase)],
  );

const list = (items: Fields, more: Fields = {}): Fields => ({ type: "array", maxItems: 5, items, ...more });

/** Objects that were stored in one version and have no right value in another one: rules, columns and the rest meet them. */
export const staleValues: readonly Story[] = [
  ofType("a string with a rule", "good", {
    field: { type: "string", maxLength: 9, ...valid(rule("self.size() > 0"), rule("true")) },
  }),
  ofType("an integer with a transition rule", 7, {
    field: { type: "integer", ...valid(rule("self >= oldSelf"), rule("self > 0")) },
  }),
  ofType("an integer with an optional old value", 7, {
    field: {
      type: "integer",
      ...valid(rule("oldSelf.hasValue() ? self >= oldSelf.value() : self > 0", { optionalOldSelf: true })),
    },
  }),
  ofType("a boolean that rules of its object read", false, {
    field: { type: "boolean" },
    spec: valid(rule("has(self.x)"), rule("self.x == false"), rule("oldSelf.x || self.y != 'b'")),
  }),
  ofType("a list with rules at its items", ["x"], {
    field: list(
      { type: "string", maxLength: 5, ...valid(rule("self != 'bad'")) },
      valid(rule("self.all(i, i != 'z')")),
    ),
  }),
  ofType("a list map with transition rules", [{ name: "a", n: 1 }], {
    field: list(
      {
        type: "object",
        required: ["name"],
        properties: { name: { type: "string" }, n: { type: "integer", ...valid(rule("self >= oldSelf")) } },
        ...valid(rule("self.name == oldSelf.name")),
      },
      {
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        ...valid(rule("self.size() > 0")),
      },
    ),
  }),
  ofType(
    "a set with a rule",
    ["x"],
    {
      field: list(
        { type: "string", maxLength: 5 },
        { "x-kubernetes-list-type": "set", ...valid(rule("self == oldSelf || size(self) < 3")) },
      ),
    },
    ["mixed"],
  ),
  ofType(
    "a map with rules",
    { k: 1 },
    {
      field: {
        type: "object",
        maxProperties: 5,
        additionalProperties: { type: "integer", ...valid(rule("self > 0")) },
        ...valid(rule("!('bad' in self)"), rule("self.all(k, self[k] >= 0)")),
      },
    },
  ),
  ofType(
    "an object with rules",
    { a: 1 },
    {
      field: {
        type: "object",
        properties: { a: { type: "integer", default: 1, ...valid(rule("self > 0")) } },
        ...valid(rule("self.a > 0"), rule("oldSelf.a == self.a")),
      },
    },
  ),
  ofType("an integer or string with a rule", 5, {
    field: {
      "x-kubernetes-int-or-string": true,
      ...valid(rule("type(self) == int ? self > 0 : self != ''")),
    },
  }),
  ofType(
    "a time with a rule",
    "2020-01-01T00:00:00Z",
    {
      field: { type: "string", format: "date-time", ...valid(rule("self.getFullYear() > 2000")) },
    },
    ["text"],
  ),
  ofType("a string with a message that reads it", "good", {
    field: { type: "string", maxLength: 9 },
    spec: valid({ rule: "self.y != 'b'", messageExpression: "'is ' + self.x" }),
  }),
  ofType("what a column and a selectable field read", "good", {
    field: { type: "string" },
    more: {
      selectableFields: [{ jsonPath: ".spec.x" }],
      additionalPrinterColumns: ["string", "integer", "number", "boolean", "date"].map((type) => ({
        name: type,
        type,
        jsonPath: ".spec.x",
      })),
    },
  }),
  ofType("replicas of a scale", 2, {
    field: { type: "integer", ...valid(rule("self >= 0")) },
    more: {
      subresources: {
        status: {},
        scale: {
          specReplicasPath: ".spec.x",
          statusReplicasPath: ".status.x",
          labelSelectorPath: ".status.y",
        },
      },
    },
  }),
  story(
    "selecting by values of other types",
    [
      ...values.map(([name, x]) => stored(name, x)),
      ...["spec.x=a", "spec.x=3", "spec.x=true", "spec.x=1.5", "spec.x!=a", "spec.x="].map((selector) =>
        get(`${loose("v2")}?fieldSelector=${encodeURIComponent(selector)}`, table),
      ),
    ],
    [definition({ field: { type: "string" }, more: { selectableFields: [{ jsonPath: ".spec.x" }] } })],
  ),
  story(
    "scales of values of other types",
    values.flatMap(([name, x]) => [
      stored(name, x),
      get(`${loose("v2")}/${name}/scale`),
      merge(`${loose("v2")}/${name}/scale`, { spec: { replicas: 2 } }),
      put(`${loose("v2")}/${name}/scale`, {
        apiVersion: "autoscaling/v1",
        kind: "Scale",
        metadata: { name, namespace: "{ns}" },
        spec: { replicas: 2 },
      }),
    ]),
    [
      definition({
        field: { type: "integer" },
        more: {
          subresources: { scale: { specReplicasPath: ".spec.x", statusReplicasPath: ".status.x" } },
        },
      }),
    ],
  ),
  story(
    "a status of another type",
    values.flatMap(([name, x]) => [
      stored(name, 1),
      merge(`${loose("v1")}/${name}/status`, { status: { x } }),
      merge(`${loose("v2")}/${name}/status`, { status: { y: "b" } }),
      merge(`${loose("v2")}/${name}`, { spec: { y: "b" } }),
      merge(`${loose("v2")}/${name}/status`, { status: { x: 5 } }),
      merge(`${loose("v2")}/${name}/status`, { status: { x: 6 } }),
    ]),
    [
      definition({
        field: { type: "integer", ...valid(rule("self > 0"), rule("self >= oldSelf")) },
        more: { subresources: { status: {} } },
      }),
    ],
  ),
];
