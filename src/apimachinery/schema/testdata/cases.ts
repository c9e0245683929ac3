import type { JSONSchema } from "../json-schema.ts";

/** One schema for `spec`, and objects to create or update with it. The answers are recorded from a real API server. */
export interface SchemaCase {
  readonly name: string;
  readonly spec: JSONSchema;
  /** Values of `spec` to create. */
  readonly creates?: readonly unknown[];
  /** Values of `spec` before and after an update; what is before need not be valid. */
  readonly updates?: readonly { readonly before: unknown; readonly after: unknown }[];
}

const one = (schema: JSONSchema, values: readonly unknown[]): Pick<SchemaCase, "spec" | "creates"> => ({
  spec: { type: "object", properties: { x: schema } },
  creates: values.map((x) => ({ x })),
});

/** `spec.x` with a schema of its own. */
export const cases: readonly SchemaCase[] = [
  { name: "integer", ...one({ type: "integer", minimum: 1, maximum: 9 }, [0, 10, 1, "a", 1.5, true, null, [], {}]) },
  {
    name: "exclusive bounds",
    ...one({ type: "integer", minimum: 1, maximum: 9, exclusiveMinimum: true, exclusiveMaximum: true }, [1, 9, 2]),
  },
  { name: "int32", ...one({ type: "integer", format: "int32" }, [2147483648, "x", true, 1.5, 5]) },
  { name: "int64", ...one({ type: "integer", format: "int64" }, [1.5, true, {}, 9007199254740991]) },
  {
    name: "number",
    ...one({ type: "number", minimum: 0.5, maximum: 1000000, multipleOf: 0.5 }, [0.25, 1, 1000001.5, 2000000, "a", 0.7]),
  },
  { name: "multipleOf", ...one({ type: "integer", multipleOf: 5 }, [7, 10]) },
  { name: "double", ...one({ type: "number", format: "double" }, ["a", true, 1, 1.5]) },
  {
    name: "string",
    ...one({ type: "string", minLength: 2, maxLength: 4, pattern: "^[a-z]+$" }, ["a", "abcde", "AB", "ab", 1, "éé", "é"]),
  },
  { name: "one byte", ...one({ type: "string", maxLength: 1 }, ["ab", "é"]) },
  { name: "strange text", ...one({ type: "string", maxLength: 40, pattern: "^$" }, ['a"b\\c', "tab\there", "ünï😀", "\u0001\u007f\u200b<>&"]) },
  { name: "enum", ...one({ type: "string", enum: ["a", "b c", 'q"'] }, ["x", "a", 5]) },
  { name: "enum of integers", ...one({ type: "integer", enum: [1, 2] }, [3, 1, "1"]) },
  { name: "nullable enum", ...one({ type: "string", nullable: true, enum: ["a", null] }, [null, "a", "b"]) },
  { name: "boolean", ...one({ type: "boolean" }, ["true", 1, null, true]) },
  { name: "nullable", ...one({ type: "string", nullable: true }, [null, 1, "a"]) },
  { name: "int or string", ...one({ "x-kubernetes-int-or-string": true, maximum: 5, maxLength: 2 }, [6, "abc", true, 1.5, 5, null]) },
  {
    name: "int or string, spelt out",
    ...one(
      { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }], pattern: "^\\d+%$" },
      [true, "5", "5%", 7, {}],
    ),
  },
  {
    name: "list",
    ...one({ type: "array", minItems: 1, maxItems: 2, items: { type: "string", maxLength: 1 } }, [
      [], ["a", "b", "c"], ["aa"], "a", [1, null], ["a"],
    ]),
  },
  {
    name: "set",
    ...one({ type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } }, [["a", "a", "b", "a"], ["a"]]),
  },
  {
    name: "set of atomic objects",
    ...one(
      {
        type: "array",
        "x-kubernetes-list-type": "set",
        items: { type: "object", "x-kubernetes-map-type": "atomic", properties: { a: { type: "integer" } } },
      },
      [[{ a: 1 }, { a: 2 }, { a: 1 }]],
    ),
  },
  {
    name: "list map",
    ...one(
      {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        items: { type: "object", required: ["name"], properties: { name: { type: "string" }, v: { type: "integer" } } },
      },
      [[{ name: "a" }, { name: "a", v: 1 }], [{ v: 1 }, { v: 2 }], ["a"], [{ name: "a" }, { name: "b" }]],
    ),
  },
  {
    name: "list map of two keys",
    ...one(
      {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["port", "protocol"],
        items: {
          type: "object",
          required: ["port"],
          properties: { port: { type: "integer" }, protocol: { type: "string", default: "TCP" } },
        },
      },
      [[{ port: 80 }, { port: 80, protocol: "TCP" }], [{ port: 80 }, { port: 80, protocol: "UDP" }]],
    ),
  },
  {
    name: "object",
    ...one(
      { type: "object", required: ["a", "b"], properties: { a: { type: "string" }, b: { type: "object", required: ["c"], properties: { c: { type: "string" } } } } },
      [{}, { a: 1, b: {} }, { a: "x", b: { c: "y", d: 1 } }, []],
    ),
  },
  {
    name: "map",
    ...one({ type: "object", minProperties: 1, maxProperties: 2, additionalProperties: { type: "integer", minimum: 0 } }, [
      {}, { a: 1, b: 2, c: 3 }, { a: "x" }, { "a.b/c": -1 },
    ]),
  },
  { name: "map without content", ...one({ type: "object", additionalProperties: true }, [{ a: 1, b: { c: 1 } }]) },
  {
    name: "anyOf",
    ...one({ type: "string", anyOf: [{ minLength: 3 }, { pattern: "^x" }] }, ["a", "xa", "abc"]),
  },
  {
    name: "oneOf",
    ...one(
      {
        type: "object",
        properties: { a: { type: "string" }, b: { type: "string" } },
        oneOf: [{ required: ["a"] }, { required: ["b"] }],
      },
      [{}, { a: "1", b: "2" }, { a: "1" }],
    ),
  },
  {
    name: "allOf and not",
    ...one({ type: "integer", allOf: [{ minimum: 5 }, { maximum: 7 }], not: { multipleOf: 6 } }, [1, 6, 8, 5]),
  },
  {
    name: "branches with fields",
    ...one(
      {
        type: "object",
        properties: { kind: { type: "string" }, size: { type: "integer" } },
        anyOf: [
          { properties: { kind: { enum: ["small"] }, size: { maximum: 5 } }, required: ["kind", "size"] },
          { properties: { kind: { enum: ["big"] }, size: { minimum: 50 } }, required: ["kind"] },
        ],
      },
      [{ kind: "big", size: 7 }, { kind: "small", size: 7 }, { size: 1 }, {}],
    ),
  },
  ...(
    [
      ["date-time", ["2024-05-01T12:00:00Z", "2024-05-01", "2024-02-30T00:00:00Z", "2024-05-01t12:00:00.5+01:00", "2024-05-01T24:00:00Z"]],
      ["date", ["2024-02-29", "2023-02-29", "x"]],
      ["duration", ["1h30m", "2 days", "x", "5", "1.5h", "-3s", "", "3 wk"]],
      ["ipv4", ["1.2.3.4", "::1", "01.2.3.4", "1.2.3", "::ffff:1.2.3.4"]],
      ["ipv6", ["::1", "1.2.3.4", "fe80::1%eth0", "1:2:3:4:5:6:7:8", "1::2::3"]],
      ["cidr", ["10.0.0.0/8", "10.0.0.0", "::/0", "10.0.0.0/33", "010.0.0.0/8", "10.0.0.0/08"]],
      ["mac", ["00:00:5e:00:53:01", "0000.5e00.5301", "x", "00-00-5e-00-53-01", "00:00:5e:00:53"]],
      ["email", ["a@b.c", "a", "A B <a@b>", "a@", '"a b"@c.d', "a@b c"]],
      ["hostname", ["example.com", "-a", "a_b", "a..b", "x", "1.2.3.4", "a-"]],
      ["uri", ["http://a/b", "a", "/a/b", "http://[::1]:80/", "http://a b", "mailto:x", "http://a:b"]],
      ["uuid", ["f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "F81D4FAE7DEC11D0A76500A0C91E6BF6", "x"]],
      ["uuid4", ["f81d4fae-7dec-41d0-a765-00a0c91e6bf6", "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"]],
      ["byte", ["aGk=", "aGk", "", "a-_="]],
      ["bsonobjectid", ["507f1f77bcf86cd799439011", "x"]],
      ["isbn", ["0321751043", "978-0321751041", "1"]],
      ["creditcard", ["4111 1111 1111 1111", "4111 1111 1111 1112"]],
      ["ssn", ["123-45-6789", "123456789"]],
      ["hexcolor", ["#fff", "ffffff", "#ff"]],
      ["rgbcolor", ["rgb(1,2,3)", "rgb(256,0,0)", "rgb( 0 , 0 , 0 )"]],
      ["password", ["x"]],
      ["k8s-short-name", ["a-b", "A", "-a"]],
      ["k8s-long-name", ["a.b", "a..b"]],
      ["unheard-of", ["x"]],
    ] as const
  ).map(([format, values]): SchemaCase => ({
    name: `format ${format}`,
    ...one({ type: "string", format }, [...values, 5, true, {}, []]),
  })),
  {
    name: "defaults",
    spec: {
      type: "object",
      default: {},
      properties: {
        a: { type: "string", default: "x" },
        n: { type: "string", nullable: true, default: "y" },
        o: { type: "object", default: {}, properties: { p: { type: "integer", default: 3 }, q: { type: "string" } } },
        l: { type: "array", items: { type: "object", properties: { d: { type: "boolean", default: false } } } },
        m: { type: "object", additionalProperties: { type: "object", properties: { d: { type: "integer", default: 1 } } } },
      },
    },
    creates: [
      undefined,
      {},
      { a: null, n: null },
      { o: { p: null, q: null } },
      { l: [{}, { d: true }, null] },
      { m: { k: {}, j: null } },
      { o: { p: 5 } },
    ],
  },
  {
    name: "preserved fields",
    spec: {
      type: "object",
      properties: {
        any: { type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: { known: { type: "object", properties: { a: { type: "string" } } } } },
        typeless: { "x-kubernetes-preserve-unknown-fields": true },
        list: { type: "array", items: { type: "object", properties: { a: { type: "string" } } } },
      },
    },
    creates: [
      { any: { x: 1, known: { a: "1", b: 2 } }, typeless: [1, { a: null }], list: [{ a: "1", b: 1 }], gone: 1 },
      { any: { known: { a: null } } },
    ],
  },
  {
    name: "embedded resource",
    spec: {
      type: "object",
      properties: {
        r: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
        s: { type: "object", "x-kubernetes-embedded-resource": true, properties: { spec: { type: "object", properties: { a: { type: "string" } } } } },
      },
    },
    creates: [
      { r: {} },
      { r: { apiVersion: "a/b/c", kind: "x y" } },
      { r: { apiVersion: "v1", kind: "Pod", metadata: { name: "a/b" }, x: 1 } },
      { s: { apiVersion: "v1", kind: "Pod", spec: { a: "1", b: 2 }, c: 1 } },
      { r: { apiVersion: "", kind: "" } },
      { r: { apiVersion: "v1", kind: "Pod", metadata: { name: "a", foo: 1, labels: { a: "b" } } } },
      { r: { apiVersion: "v1", kind: "Pod", metadata: null } },
      { r: { apiVersion: "v1", kind: "Pod", metadata: { creationTimestamp: null, name: "a", labels: null, annotations: {} } } },
      { r: { apiVersion: "v1", kind: "Pod", metadata: { labels: { "a b": "c" }, annotations: { "x y": "z" } } } },
      { r: { apiVersion: "v1", kind: "Pod", metadata: { labels: { a: "c d" } } } },
      { r: { apiVersion: "v1", kind: "Pod", metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "n", uid: "u", extra: 1 }] } } },
      { r: { apiVersion: "v1", kind: "Pod", metadata: { generation: -1, namespace: "A B", generateName: "a/b" } } },
      { r: { apiVersion: "v1", kind: "Pod", metadata: { ownerReferences: [{ apiVersion: "v1" }] } } },
      { r: { apiVersion: "v1", kind: "Pod", metadata: { managedFields: [{ manager: "m" }] } } },
    ],
  },
  {
    name: "ratcheting",
    spec: {
      type: "object",
      properties: {
        s: { type: "string", maxLength: 2 },
        t: { type: "integer" },
        l: { type: "array", items: { type: "string", maxLength: 2 } },
        m: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["k"],
          items: { type: "object", required: ["k"], properties: { k: { type: "string" }, v: { type: "string", maxLength: 2 } } },
        },
        set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
        all: { type: "object", properties: { a: { type: "string" }, b: { type: "string" } }, allOf: [{ properties: { a: { maxLength: 2 } } }] },
        map: { type: "object", additionalProperties: { type: "string", maxLength: 2 } },
      },
    },
    updates: [
      { before: { s: "long" }, after: { s: "long", t: 1 } },
      { before: { s: "long" }, after: { s: "longer" } },
      { before: { l: ["long"] }, after: { l: ["long"], t: 1 } },
      { before: { l: ["long"] }, after: { l: ["long", "a"] } },
      { before: { m: [{ k: "a", v: "long" }, { k: "b" }] }, after: { m: [{ k: "b" }, { k: "a", v: "long" }, { k: "c" }] } },
      { before: { m: [{ k: "a", v: "long" }] }, after: { m: [{ k: "a", v: "longer" }] } },
      { before: { set: ["a", "a"] }, after: { set: ["a", "a", "b"] } },
      { before: { set: ["a"] }, after: { set: ["a", "a"] } },
      { before: { all: { a: "long" } }, after: { all: { a: "long" }, t: 1 } },
      { before: { all: { a: "long" } }, after: { all: { a: "long", b: "x" } } },
      { before: { map: { x: "long" } }, after: { map: { x: "long", y: "a" } } },
    ],
  },
];
