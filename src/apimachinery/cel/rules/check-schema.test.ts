import { expect, test } from "vitest";
import type { JSONSchema } from "../../schema/json-schema.ts";
import { checkSchema } from "./check-schema.ts";
import { compileRules } from "./compile-rules.ts";

test("checkSchema() requires the text of a rule", () => {
  const [error, ...more] = checkSchema(
    { type: "object", "x-kubernetes-validations": [{ message: "no" }] },
    {},
  );
  expect(error).toMatchObject({
    field: expect.stringContaining("x-kubernetes-validations[0].rule") as string,
  });
  expect(more).toEqual([]);
});

test.each(["allOf", "anyOf", "oneOf"])("checkSchema() takes %s: null as an absent list", (name) => {
  const schema = { type: "object", [name]: null } as JSONSchema;
  expect([...checkSchema({ type: "object", properties: { spec: schema } }, {})]).toEqual([]);
});

const text: JSONSchema = { type: "string" };
const open: JSONSchema = {
  type: "object",
  properties: { known: { type: "integer" } },
  "x-kubernetes-preserve-unknown-fields": true,
};
const embedded: JSONSchema = {
  type: "object",
  "x-kubernetes-embedded-resource": true,
  properties: {
    apiVersion: text,
    kind: text,
    metadata: { type: "object", properties: { name: text, generateName: text, namespace: text } },
  },
};

function withRule(rule: string): JSONSchema {
  const properties = {
    time: { type: "string", format: "date" },
    wait: { type: "string", format: "duration" },
    two: { type: "array", items: open, maxItems: 2 },
    embedded,
    text,
  };
  return { type: "object", properties, "x-kubernetes-validations": [{ rule }] };
}

// What an API server accepts of Kubernetes' own cases (e2e/oracle/kubernetes-cases).
test.each([
  "type(self.time) == google.protobuf.Timestamp",
  "type(ip('192.168.0.1')) == net.IP",
  "!has(self.embedded.metadata.namespace)",
  "self.wait.getMilliseconds() == 3723004",
  "self.two[0] != self.two[1]",
  "'%e'.format([3.14]) == '3.140000×10⁰⁰'",
  "dyn([1, 2]).flatten() == [1, 2]",
  "optional.ofNonZeroValue(timestamp('0001-01-01T00:00:00Z')) == optional.none()",
])("the rule %s is accepted, and fulfilled", (rule) => {
  const schema = withRule(rule);
  expect(checkSchema({ type: "object", properties: { spec: schema } })).toEqual([]);
  const two = ["a", "b"].map((unknown) => ({ known: 1, unknown }));
  const value = { time: "2026-01-01", wait: "1h2m3s4ms", two, embedded: { metadata: { name: "a" } } };
  expect(compileRules(schema)!.validate(value, { path: "" })).toEqual([]);
});

test("250 comparisons in a row are refused, and one less isn't", () => {
  const problems = (count: number) => {
    const schema = withRule(`${"self.yes == ".repeat(count)}self.yes`);
    const whole = { ...schema, properties: { yes: { type: "boolean" } } } as JSONSchema;
    return checkSchema({ type: "object", properties: { spec: whole } });
  };
  expect(problems(249)).toEqual([]);
  expect(problems(250)).toHaveLength(1);
});

test.each(["find(')') == ''", "findAll(')') == []"])("the pattern of text.%s is refused", (call) => {
  const schema = withRule(`self.text.${call}`);
  expect(checkSchema({ type: "object", properties: { spec: schema } })).toHaveLength(1);
});
