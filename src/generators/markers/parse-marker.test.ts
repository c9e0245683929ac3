import { describe, expect, it } from "vitest";
import type { ArgumentType } from "./definition.ts";
import type { MarkerValue } from "../model/schema.ts";
import { MarkerError, Scanner, parseArguments, parseValue, splitMarker } from "./parse-marker.ts";
import { lookUpMarker } from "./registry.ts";

const any: ArgumentType = { type: "any" };
const list = (item: ArgumentType): ArgumentType => ({ type: "list", item });
const map: ArgumentType = { type: "map", item: any };

describe("parseValue()", () => {
  it.each<[string, ArgumentType, MarkerValue]>([
    ["bare words here", { type: "string" }, "bare words here"],
    ["  padded  ", { type: "string" }, "padded"],
    ['"a\\tb\\u00e9\\"" ', { type: "string" }, 'a\tbé"'],
    ["`raw \\n text`", { type: "string" }, "raw \\n text"],
    ["a:b/c//d", { type: "string" }, "a:b/c//d"],
    ["'single'", { type: "string" }, "'single'"],
    ['self == "a,b"', { type: "string" }, 'self == "a,b"'],
    ["-12", { type: "int" }, -12],
    ["0", { type: "int" }, 0],
    ["0644", { type: "int" }, 644],
    ["-1.5", { type: "number" }, -1.5],
    ["1e3", { type: "number" }, 1000],
    ["true", { type: "bool" }, true],
    ["a;b;c", list({ type: "string" }), ["a", "b", "c"]],
    ["{a, b}", list({ type: "string" }), ["a", "b"]],
    ["{}", list({ type: "string" }), []],
    [
      "{{1,1},{2,3}}",
      list(list({ type: "int" })),
      [
        [1, 1],
        [2, 3],
      ],
    ],
    [
      "{1;1,2;3}",
      list(list({ type: "int" })),
      [
        [1, 1],
        [2, 3],
      ],
    ],
    ['{a: 1, "b c": "d"}', map, { a: 1, "b c": "d" }],
    ["{a: {b: true}}", map, { a: { b: true } }],
    ["hello", any, "hello"],
    ["5", any, 5],
    ["-5", any, -5],
    ["2.5", any, 2.5],
    ["100Mi", any, "100Mi"],
    ["2024-01-15", any, "2024-01-15"],
    ["0987", any, "0987"],
    ["123/config", any, "123/config"],
    ["00000000-1234", any, "00000000-1234"],
    ["false", any, false],
    ["falsey", any, "falsey"],
    ['"5"', any, "5"],
    ["1;2;3", any, [1, 2, 3]],
    ["{1,2}", any, [1, 2]],
    ["{}", any, {}],
    ['{"a","b"}', any, ["a", "b"]],
    ["{a: x}", any, { a: "x" }],
    ["{{a: 1}, {b: 2}}", any, [{ a: 1 }, { b: 2 }]],
    ["9007199254740993", any, 9007199254740993n],
  ])("reads %j", (text, type, expected) => {
    const scanner = new Scanner(text);
    expect(parseValue(scanner, type)).toEqual(expected);
    expect(scanner.peekNoSpace()).toBe("");
  });

  it.each<[string, ArgumentType, number, string]>([
    ["x", { type: "int" }, 0, 'expected an integer, got "x"'],
    ["1.5", { type: "int" }, 0, 'expected an integer, got "1.5"'],
    ["+1", { type: "int" }, 0, 'expected an integer, got "+"'],
    ["0x1F", { type: "int" }, 0, 'expected an integer, got "0x1F"'],
    ["9223372036854775808", any, 0, "9223372036854775808 is too large"],
    ["1e999", { type: "number" }, 0, "1e999 is too large"],
    ["-1e999", any, 1, "1e999 is too large"],
    ["yes", { type: "bool" }, 0, 'expected true or false, got "yes"'],
    ['"open', { type: "string" }, 0, "the quoted string is not terminated"],
    ['"a\\q"', { type: "string" }, 2, '"\\q" is not a valid escape sequence'],
    ["{a,b", list({ type: "string" }), 4, 'expected "}", got the end'],
    ["{a b}", map, 4, 'expected ":", got "}"'],
    ["", { type: "string" }, 0, "expected a value"],
  ])("refuses %j", (text, type, offset, message) => {
    let error: unknown;
    try {
      parseValue(new Scanner(text), type);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(MarkerError);
    expect(error).toMatchObject({ offset, message });
  });
});

it("parseValue() keeps a key that objects have of their own", () => {
  const value = parseValue(new Scanner('{__proto__: "x", constructor: {__proto__: 1}}'), map);
  expect(JSON.stringify(value)).toBe('{"__proto__":"x","constructor":{"__proto__":1}}');
});

describe("parseArguments()", () => {
  const nested = (depth: number): string => `${"{a: ".repeat(depth)}1${"}".repeat(depth)}`;

  it.each<[string, string, string]>([
    ["a name that objects have", "kubebuilder:resource:constructor=a", 'has no argument "constructor"'],
    [
      "maps in maps without end",
      `kubebuilder:default=${nested(20_000)}`,
      "the value is nested more than 100 times",
    ],
    [
      "lists in lists without end",
      `kubebuilder:default=${"{".repeat(20_000)}`,
      "the value is nested more than 100 times",
    ],
  ])("refuses %s", (_, text, message) => {
    expect(() => read(text)).toThrow(MarkerError);
    expect(() => read(text)).toThrow(message);
  });

  it("says how the values of a list are separated", () => {
    expect(() => read("kubebuilder:validation:Enum=a,b")).toThrow(
      expect.objectContaining({ hint: "separate values with semicolons: a;b" }),
    );
  });

  it("takes braces that are side by side, in quotes, or nested a hundred times", () => {
    const list = `{${Array.from({ length: 150 }, () => "{a: 1}").join(",")}}`;
    expect(read(`kubebuilder:default=${list}`)).toBeDefined();
    expect(read(`kubebuilder:validation:Pattern="${"{".repeat(150)}"`)).toBeDefined();
    expect(read(`kubebuilder:default=${nested(100)}`)).toBeDefined();
  });
});

/** The name of a marker's definition, and its arguments. */
function read(text: string): unknown {
  const parts = splitMarker(text);
  const found = lookUpMarker(parts.name);
  return found.kind === "known" ? [found.definition.name, parseArguments(parts, found.definition)] : found;
}

describe("lookUpMarker()", () => {
  it.each<[string, unknown]>([
    ["optional", ["optional", {}]],
    ["kubebuilder:validation:Minimum=1", ["kubebuilder:validation:Minimum", { "": 1 }]],
    ["kubebuilder:validation:Minimum:=1", ["kubebuilder:validation:Minimum", { "": 1 }]],
    [
      "kubebuilder:resource:path=foos,scope=Cluster",
      ["kubebuilder:resource", { path: "foos", scope: "Cluster" }],
    ],
    [
      "kubebuilder:resource:scope=Cluster, path=foos",
      ["kubebuilder:resource", { path: "foos", scope: "Cluster" }],
    ],
    ["kubebuilder:subresource:status", ["kubebuilder:subresource:status", {}]],
    ["kubebuilder:deprecatedversion", ["kubebuilder:deprecatedversion", {}]],
    ['kubebuilder:rbac:groups="",verbs=*', ["kubebuilder:rbac", { groups: [""], verbs: ["*"] }]],
    ["groupName", ["groupName", {}]],
    ["k8s:minimum=3 # three", ["k8s:minimum", { "": 3 }]],
    ["kubebuilder:scaffold:imports", { kind: "foreign" }],
    ["tsbuilder:scaffold:setup", { kind: "foreign" }],
    ["k8s:openapi-gen=true", { kind: "foreign" }],
    ["k8s:openapi-model-package=io.k8s.api.core.v1", { kind: "foreign" }],
    ["k8s:conversion-fn=drop", { kind: "foreign" }],
    ["groupGoName=Certmanager", { kind: "foreign" }],
    ["genclient", { kind: "foreign" }],
    ["kubebuilder:validation:nullable", { kind: "unknown", suggestion: "nullable" }],
    ["kubebuilder:validation:enum=a", { kind: "unknown", suggestion: "kubebuilder:validation:Enum" }],
    ["kubebuidler:rbac:groups=a", { kind: "unknown", suggestion: "kubebuilder:rbac" }],
    ["nulable", { kind: "unknown", suggestion: "nullable" }],
  ])("understands +%s", (text, expected) => {
    expect(read(text)).toMatchObject(expected as object);
  });
});
