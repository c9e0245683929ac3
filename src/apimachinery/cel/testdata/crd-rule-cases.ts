import type { JSONSchema } from "../../schema/json-schema.ts";

/** A schema for `spec`, or for the root, to create a CRD with. */
export interface CRDCase {
  readonly name: string;
  readonly spec?: JSONSchema;
  readonly root?: JSONSchema;
  readonly hasStatus?: boolean;
}

const x = (schema: JSONSchema): JSONSchema => ({ type: "object", properties: { x: schema } });

const rule = (text: string, more: object = {}): JSONSchema => ({
  "x-kubernetes-validations": [{ rule: text, ...more }],
});

const text: JSONSchema = { type: "string" };

const texts: JSONSchema = { type: "array", items: text };

/** Schemas with rules that are invalid, too expensive, or valid. */
export const crdRuleCases: readonly CRDCase[] = [
  { name: "rule without text", spec: x({ type: "string", ...rule("  ") }) },
  { name: "rule with blank message", spec: x({ type: "string", ...rule("true", { message: " " }) }) },
  { name: "message with line breaks", spec: x({ type: "string", ...rule("true", { message: "a\nb" }) }) },
  { name: "rule with line breaks", spec: x({ type: "string", ...rule("true &&\ntrue") }) },
  {
    name: "blank messageExpression",
    spec: x({ type: "string", ...rule("true", { messageExpression: " " }) }),
  },
  { name: "unknown reason", spec: x({ type: "string", ...rule("true", { reason: "Because" }) }) },
  {
    name: "bad fieldPath",
    spec: x({ type: "object", properties: { a: text }, ...rule("true", { fieldPath: ".b" }) }),
  },
  {
    name: "fieldPath without dot",
    spec: x({ type: "object", properties: { a: text }, ...rule("true", { fieldPath: "a" }) }),
  },
  {
    name: "fieldPath into a map",
    spec: x({
      type: "object",
      properties: { m: { type: "object", additionalProperties: text } },
      ...rule("true", { fieldPath: ".m['a.b']" }),
    }),
  },
  { name: "rule that does not parse", spec: x({ type: "string", ...rule("self ==") }) },
  {
    name: "rule with unknown field",
    spec: x({ type: "object", properties: { a: text }, ...rule("self.b == 'x'") }),
  },
  { name: "rule of another type", spec: x({ type: "string", ...rule("self") }) },
  {
    name: "messageExpression of another type",
    spec: x({ type: "integer", ...rule("self > 1", { messageExpression: "self" }) }),
  },
  {
    name: "messageExpression that does not parse",
    spec: x({ type: "integer", ...rule("self > 1", { messageExpression: "'a' +" }) }),
  },
  {
    name: "rule next to a schema error",
    spec: x({ type: "object", properties: { a: {} }, ...rule("self.b == 'x'") }),
  },
  {
    name: "oldSelf in a list",
    spec: x({ type: "array", items: { type: "string", ...rule("self == oldSelf") } }),
  },
  {
    name: "oldSelf in a set",
    spec: x({
      type: "array",
      "x-kubernetes-list-type": "set",
      items: { type: "string", ...rule("self == oldSelf") },
    }),
  },
  {
    name: "oldSelf in a list map",
    spec: x({
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"],
      items: {
        type: "object",
        required: ["k"],
        properties: { k: { type: "string", maxLength: 5 } },
        ...rule("self.k == oldSelf.k"),
      },
    }),
  },
  {
    name: "optionalOldSelf without oldSelf",
    spec: x({ type: "string", ...rule("self == 'a'", { optionalOldSelf: true }) }),
  },
  {
    name: "optionalOldSelf",
    spec: x({ type: "string", ...rule("oldSelf.orValue('a') == 'a'", { optionalOldSelf: true }) }),
  },
  {
    name: "oldSelf as a plain value with optionalOldSelf",
    spec: x({ type: "string", ...rule("oldSelf == self", { optionalOldSelf: true }) }),
  },
  { name: "cost of nested lists", spec: x({ ...texts, ...rule("self.all(a, self.all(b, a == b))") }) },
  {
    name: "cost of a rule on unbounded items",
    spec: x({ type: "array", items: { type: "string", ...rule("self.matches('^a.*b$')") } }),
  },
  {
    name: "cost just above",
    spec: x({
      type: "array",
      items: {
        type: "object",
        properties: { a: { type: "string", maxLength: 100 } },
        ...rule("self.a.contains('abcdefghij')"),
      },
    }),
  },
  {
    name: "cost of a map",
    spec: x({
      type: "object",
      additionalProperties: { type: "string" },
      ...rule("self.all(k, self[k].contains('a'))"),
    }),
  },
  {
    name: "cost of a long text",
    spec: x({ type: "string", ...rule("self.matches('^(a|b|c|d|e|f|g|h)*$')") }),
  },
  {
    name: "cost below three lists",
    spec: x({
      type: "array",
      maxItems: 100,
      items: {
        type: "array",
        maxItems: 100,
        items: {
          type: "array",
          maxItems: 100,
          items: { type: "string", maxLength: 10, ...rule("self.size() > 0 && self.startsWith('abc')") },
        },
      },
    }),
  },
  {
    name: "cost of a message",
    spec: x({
      ...texts,
      ...rule("self.size() > 0", { messageExpression: "self.map(a, self.map(b, a + b).join()).join()" }),
    }),
  },
  {
    name: "cost of many rules",
    spec: {
      type: "object",
      properties: Object.fromEntries(
        Array.from({ length: 14 }, (_, index) => [
          `f${index}`,
          {
            type: "array",
            maxItems: 1000,
            items: {
              type: "string",
              maxLength: 300,
              ...rule("self.matches('^[a-z]{1,50}$') && self.contains('abc')"),
            },
          },
        ]),
      ),
    },
  },
  {
    name: "rule on an untyped field",
    spec: x({ "x-kubernetes-preserve-unknown-fields": true, ...rule("true") }),
  },
  {
    name: "rule on int or string",
    spec: x({
      "x-kubernetes-int-or-string": true,
      ...rule("type(self) == int ? self > 1 : self.endsWith('%')"),
    }),
  },
  {
    name: "rule at the root",
    root: { type: "object", properties: { spec: text }, ...rule("self.metadata.name == self.spec") },
  },
  {
    name: "rule at the root on labels",
    root: { type: "object", ...rule("self.metadata.labels.size() > 0") },
  },
  { name: "rule in a branch", spec: x({ type: "string", allOf: [rule("true")] }) },
];
