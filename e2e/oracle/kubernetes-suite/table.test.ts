import { expect, test } from "vitest";
import { readRows, rowsOf, verdictsPage } from "./table.ts";

const specs = [
  "[sig-apps] a <b> [Conformance]",
  "[sig-apps] c|d [Conformance]",
  "[sig-node] e [Conformance]",
];

test("a spec that should have run and did not has failed", () => {
  expect(rowsOf(specs.slice(2), [], () => undefined)).toEqual([
    { spec: specs[2], verdict: "failed", why: "it did not run" },
  ]);
});

test("each spec of the suite has a row with its verdict, or why it was left out", () => {
  const verdicts = [
    { spec: specs[0]!, passed: true, message: "" },
    { spec: specs[1]!, passed: false, message: "timed out\nafter 300 s" },
  ];
  const rows = rowsOf(specs, verdicts, () => "needs a container");
  expect(rows).toEqual([
    { spec: specs[0], verdict: "passed", why: "" },
    { spec: specs[1], verdict: "failed", why: "timed out" },
    { spec: specs[2], verdict: "left out", why: "needs a container" },
  ]);
  expect(verdictsPage(rows, "Written by a test.")).toContain(`| group | specs | passed | failed | left out |
| --- | --- | --- | --- | --- |
| apps | 2 | 1 | 1 | 0 |
| node | 1 | 0 | 0 | 1 |
| all | 3 | 1 | 1 | 1 |

| spec | verdict | why |
| --- | --- | --- |
| [sig-apps] a \\<b> | passed |  |
| [sig-apps] c\\|d | failed | timed out |
| [sig-node] e | left out | needs a container |
`);
  const titles = ["[sig-apps] a <b>", "[sig-apps] c|d", "[sig-node] e"];
  expect(readRows(verdictsPage(rows, ""))).toEqual(rows.map((row, at) => ({ ...row, spec: titles[at] })));
});
