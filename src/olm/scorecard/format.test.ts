import { expect, test } from "vitest";
import { type TestWithResults, formatTests, resultOf } from "./test-list.ts";

const spec = {
  image: "example.com/test:v1",
  entrypoint: ["scorecard-test", "x"],
  labels: { test: "x-test" },
};
const tests: readonly TestWithResults[] = [
  { ...spec, results: [resultOf("good", [], ["be \u001B[31mbold"])] },
  { ...spec, labels: {}, results: [resultOf("bad", ['<a> & "b"\nand more'])] },
  { ...spec, results: [{ ...resultOf("broken", ["no"]), state: "error" }] },
];

test("as text, each result has its errors and suggestions", () => {
  expect(formatTests(tests, "text").replace("\u001B", "").split("\n")).toEqual([
    "pass: good",
    "    suggestion: be [31mbold",
    "fail: bad",
    '    <a> & "b"',
    "      and more",
    "error: broken",
    "    no",
    "1 passed, 2 failed",
  ]);
  expect(formatTests([], "text")).toBe("no tests are selected");
});

test("as JSON, it is operator-sdk's list", () => {
  const list = JSON.parse(formatTests(tests, "json")) as { items: object[] };

  expect(list).toMatchObject({ kind: "TestList", apiVersion: "scorecard.operatorframework.io/v1alpha3" });
  expect(list.items[1]).toEqual({
    kind: "Test",
    apiVersion: "scorecard.operatorframework.io/v1alpha3",
    spec: { ...spec, labels: {} },
    status: { results: [{ name: "bad", state: "fail", errors: ['<a> & "b"\nand more'] }] },
  });
});

test("as XML, special characters are escaped, and those that XML has no words for left out", () => {
  const xml = formatTests(tests, "xunit");

  expect(xml).toContain('<testsuite name="x-test" tests="1" skipped="0" failures="0" errors="0">');
  expect(xml).toContain("<system-out>be [31mbold</system-out>");
  expect(xml).toContain('<testsuite name="testsuite-002" tests="1" skipped="0" failures="1" errors="0">');
  const text = "&lt;a&gt; &amp; &quot;b&quot;&#10;and more";
  expect(xml).toContain(`<failure type="failure" message="${text}">${text}</failure>`);
  expect(xml).toContain('<error type="error" message="no">no</error>');
});
