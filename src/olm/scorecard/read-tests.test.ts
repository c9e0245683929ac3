import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { memoryTree } from "../../scaffold/tree.ts";
import { readTests, selectTests } from "./test-list.ts";

const path = "bundle/tests/scorecard/config.yaml";
const template = new URL("../../../templates/olm/scorecard/config.yaml.hbs", import.meta.url);
const config = readFileSync(template, "utf8");

test("the tests that tsbuilder bundle writes are read, and selected by their labels", () => {
  const tests = readTests(memoryTree({ [path]: config }), "bundle", undefined);
  const names = (selector: string): (string | undefined)[] =>
    tests.filter(selectTests(selector)).map(({ entrypoint }) => entrypoint[1]);

  expect(names("")).toHaveLength(6);
  expect(names("suite=basic")).toEqual(["basic-check-spec"]);
  expect(names("test in (olm-spec-descriptors-test,olm-status-descriptors-test)")).toEqual([
    "olm-spec-descriptors",
    "olm-status-descriptors",
  ]);
  expect(() => selectTests("suite=(")).toThrow('"suite=(" is not a label selector');
});

test("another configuration can be named", () => {
  const [first] = readTests(memoryTree({ "other.yaml": config }), "bundle", "other.yaml");

  expect(first).toEqual({
    image: "quay.io/operator-framework/scorecard-test:v1.42.3",
    entrypoint: ["scorecard-test", "basic-check-spec"],
    labels: { suite: "basic", test: "basic-check-spec-test" },
  });
});

test.each([
  [undefined, `the bundle has no tests: "${path}" is missing`],
  ["kind: [", "is not valid YAML"],
  ["", "is not the configuration of a scorecard"],
  ["apiVersion: v1\nkind: Configuration\n", "is not the configuration of a scorecard"],
  [config.replace("entrypoint:", "entry:"), `stages[0].tests[0] in "${path}" has no entrypoint`],
])("a configuration %j is refused", (text, message) => {
  const tree = memoryTree(text === undefined ? {} : { [path]: text });

  expect(() => readTests(tree, "bundle", undefined)).toThrow(message);
});
