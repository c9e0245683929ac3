import type { JSONSchema, ValidationRule } from "../../schema/json-schema.ts";
import { type RuleCase, transitionCases } from "./transition-cases.ts";

const rules = (...list: readonly ValidationRule[]): JSONSchema => ({ "x-kubernetes-validations": list });

const text: JSONSchema = { type: "string", maxLength: 100 };

const pair: JSONSchema = { type: "object", properties: { a: { type: "integer" }, b: { type: "integer" } } };

const create = (...values: readonly unknown[]): { after: unknown }[] => values.map((after) => ({ after }));

/** Rules of all forms, and objects that obey or violate them. */
export const ruleCases: readonly RuleCase[] = [
  {
    name: "plain rule",
    spec: { ...pair, ...rules({ rule: "self.a <= self.b" }) },
    writes: create({ a: 2, b: 1 }, { a: 1, b: 2 }, { a: 1 }),
  },
  {
    name: "message",
    spec: { ...pair, ...rules({ rule: "self.a <= self.b", message: " a must not exceed b " }) },
    writes: create({ a: 2, b: 1 }, { b: 1 }),
  },
  {
    name: "messageExpression",
    spec: {
      ...pair,
      ...rules({
        rule: "self.a <= self.b",
        message: "plain",
        messageExpression: "'%d > %d'.format([self.a, self.b])",
      }),
    },
    writes: create({ a: 2, b: 1 }),
  },
  {
    name: "messageExpression that fails",
    spec: {
      ...pair,
      ...rules(
        { rule: "self.a <= self.b", message: "plain", messageExpression: "string(1 / (self.a - 2))" },
        { rule: "self.a < 2", messageExpression: "''" },
        { rule: "self.a < 1", messageExpression: "'a\\nb'" },
      ),
    },
    writes: create({ a: 2, b: 1 }),
  },
  {
    name: "reasons",
    spec: {
      ...pair,
      ...rules(
        { rule: "self.a > 1", reason: "FieldValueForbidden", message: "m" },
        { rule: "self.a > 1", reason: "FieldValueRequired", message: "m" },
        { rule: "self.a > 1", reason: "FieldValueDuplicate", message: "m" },
        { rule: "self.a > 1", reason: "FieldValueInvalid", message: "m" },
      ),
    },
    writes: create({ a: 1 }),
  },
  {
    name: "reasons of scalars",
    spec: {
      type: "object",
      properties: {
        x: {
          type: "string",
          maxLength: 9,
          ...rules(
            { rule: "self == ''", reason: "FieldValueDuplicate", message: "m" },
            { rule: "self == ''", reason: "FieldValueForbidden", message: "m" },
            { rule: "self == ''" },
          ),
        },
        n: { type: "integer", ...rules({ rule: "self > 5" }) },
        d: { type: "number", ...rules({ rule: "self > 5.0" }) },
        o: { type: "boolean", ...rules({ rule: "self" }) },
        i: { "x-kubernetes-int-or-string": true, ...rules({ rule: "self == 'x'" }) },
      },
    },
    writes: create({ x: "abc" }, { n: 1 }, { d: 1.5 }, { o: false }, { i: 5 }, { i: "y" }),
  },
  {
    name: "fieldPath",
    spec: {
      type: "object",
      properties: { p: pair, m: { type: "object", maxProperties: 3, additionalProperties: text } },
      ...rules(
        { rule: "self.p.a > 1", fieldPath: ".p.a" },
        { rule: "!('k.x' in self.m)", fieldPath: ".m['k.x']" },
      ),
    },
    writes: create({ p: { a: 1 }, m: { "k.x": "v" } }),
  },
  {
    name: "rules at many levels",
    spec: {
      type: "object",
      properties: {
        list: { type: "array", maxItems: 5, items: { ...text, ...rules({ rule: "self.startsWith('a')" }) } },
        map: {
          type: "object",
          maxProperties: 5,
          additionalProperties: { ...text, ...rules({ rule: "self.startsWith('a')" }) },
        },
        "a.b": { ...text, ...rules({ rule: "self == 'x'" }) },
        nested: { type: "object", properties: { deep: { ...pair, ...rules({ rule: "self.a == self.b" }) } } },
      },
    },
    writes: create({
      list: ["a", "b"],
      map: { k: "b", l: "a" },
      "a.b": "y",
      nested: { deep: { a: 1, b: 2 } },
    }),
  },
  {
    name: "failures at run time",
    spec: { ...pair, ...rules({ rule: "self.a / self.b > 0" }, { rule: "[1][self.a] == 1" }) },
    writes: create({ a: 5, b: 0 }, { a: 0, b: 1 }),
  },
  {
    name: "dynamic types",
    spec: {
      type: "object",
      properties: { p: { "x-kubernetes-int-or-string": true } },
      ...rules({ rule: "self.p > 5" }, { rule: "self.p.startsWith('a')" }),
    },
    writes: create({ p: "a" }, { p: 6 }, { p: true }),
  },
  {
    name: "not run on invalid objects",
    spec: {
      type: "object",
      required: ["a"],
      properties: { a: { type: "integer", minimum: 3 } },
      ...rules({ rule: "self.a > 100" }),
    },
    writes: create({}, { a: 1 }, { a: "x" }, { a: 5 }),
  },
  {
    name: "nullable",
    spec: {
      type: "object",
      properties: { n: { type: "string", nullable: true, maxLength: 5, ...rules({ rule: "self == 'a'" }) } },
      ...rules({ rule: "!has(self.n) || self.n == 'a'" }),
    },
    writes: create({ n: null }, { n: "b" }, {}),
  },
  ...transitionCases,
];
