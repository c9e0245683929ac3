import { expect, test } from "vitest";
import {
  formatFieldSelector,
  formatLabelSelector,
  formatRequirements,
  matchesFields,
  matchesLabelSelector,
  matchesRequirements,
  parseFieldSelector,
  parseLabelSelector,
} from "./index.ts";

const web = { app: "web", tier: "front", weight: "12" };

test.each([
  ["", "", true],
  ["app", "app", true],
  ["!app", "!app", false],
  ["app=web", "app=web", true],
  ["app==web", "app==web", true],
  ["app!=web", "app!=web", false],
  ["other!=web", "other!=web", true],
  ["tier in (front,back)", "tier in (back,front)", true],
  ["tier notin (front)", "tier notin (front)", false],
  ["other notin (front)", "other notin (front)", true],
  ["tier in ()", "tier in ()", false],
  ["app=", "app=", false],
  ["weight>5,weight<20", "weight>5,weight<20", true],
  ["tier=front,app=web", "app=web,tier=front", true],
  ["in in (notin)", "in in (notin)", false],
  ["app.example.com/name=x", "app.example.com/name=x", false],
  ["constructor", "constructor", false],
])("parseLabelSelector(%j) is formatted as %j", (text, formatted, matches) => {
  const requirements = parseLabelSelector(text);
  expect(formatRequirements(requirements)).toBe(formatted);
  expect(matchesRequirements(requirements, web)).toBe(matches);
});

test.each([
  ["a,", "found '', expected: identifier after ','"],
  [",a", "found ',', expected: !, identifier, or 'end of string'"],
  ["a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
  ["a=b=c", "found '=', expected: ',' or 'end of string'"],
  ["a in b", "unable to parse requirement: found 'b' expected: '('"],
  ["a in (b c)", "unable to parse requirement: found 'c', expected: ',' or ')'"],
  ["!!a", "unable to parse requirement: found '!', expected: identifier"],
  [
    "x>b",
    `unable to parse requirement: values[0]: Invalid value: "b": for 'Gt', 'Lt' operators, the value must be an integer`,
  ],
])("parseLabelSelector() rejects %j as the API server does", (text, message) => {
  expect(() => parseLabelSelector(text)).toThrow(new TypeError(message));
});

test("parseLabelSelector() checks keys and values", () => {
  expect(() => parseLabelSelector("-a=b")).toThrow(`<nil>: Invalid value: "-a": name part must consist of`);
  expect(() => parseLabelSelector("a=-b")).toThrow(
    `values[0][a]: Invalid value: "-b": a valid label must be`,
  );
});

test("an undefined selector matches nothing, an empty one everything", () => {
  expect(matchesLabelSelector(undefined, web)).toBe(false);
  expect(matchesLabelSelector({}, web)).toBe(true);
  expect(matchesLabelSelector({}, undefined)).toBe(true);
});

test("all requirements of a selector object must match", () => {
  const selector = {
    matchLabels: { app: "web" },
    matchExpressions: [
      { key: "tier", operator: "In" as const, values: ["front", "back"] },
      { key: "legacy", operator: "DoesNotExist" as const },
    ],
  };
  expect(matchesLabelSelector(selector, web)).toBe(true);
  expect(matchesLabelSelector(selector, { ...web, legacy: "" })).toBe(false);
  expect(formatLabelSelector(selector)).toBe("app=web,!legacy,tier in (back,front)");
});

test.each([
  [
    { key: "a", operator: "In" as const },
    `values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty`,
  ],
  [
    { key: "a", operator: "Exists" as const, values: ["b"] },
    `values: Invalid value: ["b"]: values set must be empty for exists and does not exist`,
  ],
  [{ key: "a", operator: "Gt" as "In", values: ["1"] }, `"Gt" is not a valid label selector operator`],
])("a selector object with %j is rejected as the API server does", (expression, message) => {
  expect(() => formatLabelSelector({ matchExpressions: [expression] })).toThrow(new TypeError(message));
});

test.each([
  ["", "", true],
  ["metadata.name=a", "metadata.name=a", true],
  ["metadata.name==a", "metadata.name=a", true],
  ["metadata.name!=a", "metadata.name!=a", false],
  ["spec.nodeName=", "spec.nodeName=", true],
  ["status.phase!=Running,metadata.name=a", "metadata.name=a,status.phase!=Running", true],
  [String.raw`metadata.name=a\,b`, String.raw`metadata.name=a\,b`, false],
  ["=", "", true],
])("parseFieldSelector(%j) is formatted as %j", (text, formatted, matches) => {
  const terms = parseFieldSelector(text);
  expect(formatFieldSelector(terms)).toBe(formatted);
  expect(matchesFields(terms, (field) => (field === "metadata.name" ? "a" : undefined))).toBe(matches);
});

test.each([
  ["a", "invalid selector: 'a'; can't understand 'a'"],
  ["a=b=c", "invalid field selector: unescaped character in value: 61"],
  [String.raw`a=x\y`, String.raw`invalid field selector: invalid escape sequence: \y`],
])("parseFieldSelector() rejects %j as the API server does", (text, message) => {
  expect(() => parseFieldSelector(text)).toThrow(new TypeError(message));
});
