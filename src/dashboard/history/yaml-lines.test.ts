import { emitYaml, type YamlValue } from "@tsbuilder/apimachinery/yaml";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { pathText, yamlLines } from "./object-yaml.ts";

const object = {
  kind: "Any",
  metadata: { annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}" }, name: "db" },
  spec: {
    containers: [{ image: "mysql:9", args: ["a", "b"] }, { env: [] }],
    empty: {},
    text: "one\n\ntwo\n",
  },
};

test("each line has the path of its value", () => {
  expect(yamlLines(object).map(({ text, steps }) => [text, pathText(steps)])).toEqual([
    ["kind: Any", "kind"],
    ["metadata:", "metadata"],
    ["  annotations:", "metadata.annotations"],
    [
      "    kubectl.kubernetes.io/last-applied-configuration: '{}'",
      "metadata.annotations.kubectl.kubernetes.io/last-applied-configuration",
    ],
    ["  name: db", "metadata.name"],
    ["spec:", "spec"],
    ["  containers:", "spec.containers"],
    ["  - args:", "spec.containers[0].args"],
    ["    - a", "spec.containers[0].args[0]"],
    ["    - b", "spec.containers[0].args[1]"],
    ["    image: mysql:9", "spec.containers[0].image"],
    ["  - env: []", "spec.containers[1].env"],
    ["  empty: {}", "spec.empty"],
    ["  text: |", "spec.text"],
    ["    one", "spec.text"],
    ["", "spec.text"],
    ["    two", "spec.text"],
  ]);
});

test("no line needs what browsers don't have", () => {
  const { Buffer } = globalThis;
  try {
    Reflect.deleteProperty(globalThis, "Buffer");
    expect(yamlLines({ ["k".repeat(200)]: 1 })).toHaveLength(1);
  } finally {
    globalThis.Buffer = Buffer;
  }
});

const word = fc.stringMatching(/^[a-z]{1,6}$/);
const yamlText = (value: unknown): string =>
  yamlLines(value)
    .map(({ text }) => `${text}\n`)
    .join("");

test("it is what kubectl prints, where no line is too long", () => {
  const scalar = fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.string({ maxLength: 8 }));
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      scalar,
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(word, tie("value"), { maxKeys: 3 }),
    ),
  }));
  fc.assert(
    fc.property(fc.dictionary(word, value), (made) => {
      expect(yamlText(made)).toBe(emitYaml(made as YamlValue));
    }),
  );
});

test("it is read back as the same object, whatever the keys and texts are", () => {
  const text = fc.oneof(fc.string(), fc.lorem({ maxCount: 30 }), fc.stringMatching(/^[ab \n]{0,12}$/));
  const key = fc.oneof(text, fc.string()).filter((name) => name !== "__proto__" && name.length < 500);
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      text,
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(key, tie("value"), { maxKeys: 3 }),
    ),
  }));
  fc.assert(
    fc.property(fc.dictionary(key, value, { minKeys: 1 }), (made) => {
      expect(parse(yamlText(made), { version: "1.1" })).toEqual(made);
    }),
  );
});
