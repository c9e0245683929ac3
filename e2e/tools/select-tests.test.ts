import { expect, test } from "vitest";
import { selectTests } from "./select-tests.ts";

const imports = new Map([
  ["src/queue/queue.ts", []],
  ["src/queue/queue.test.ts", ["src/queue/queue.ts"]],
  ["src/controller/controller.ts", ["src/queue/queue.ts"]],
  ["src/controller/controller.test.ts", ["src/controller/controller.ts"]],
  ["src/manager/manager.ts", ["src/controller/controller.ts"]],
  ["src/manager/manager.test.ts", ["src/manager/manager.ts"]],
  ["e2e/journeys/fast/queue.test.ts", ["src/queue/queue.ts"]],
  ["e2e/journeys/long/queue.test.ts", ["src/queue/queue.ts"]],
  ["e2e/rules/layers.test.ts", []],
]);
const select = (changed: string[], costs: [string, number][] = [], budget = 10_000) =>
  selectTests(changed, { imports, costs: new Map(costs) }, budget);

test("selectTests() selects the tests of a file and of its importers, and no journeys", () => {
  expect(select(["src/queue/queue.ts"])).toEqual({
    run: ["e2e/rules/layers.test.ts", "src/queue/queue.test.ts", "src/controller/controller.test.ts"],
    leftOut: [],
  });
});

test("selectTests() finds the importers of a deleted file", () => {
  expect(select(["src/manager/manager.ts"]).run).toContain("src/manager/manager.test.ts");
});

test("selectTests() omits tests that are too distant for their cost, but none that was changed or is listed", () => {
  const costs: [string, number][] = [
    ["src/manager/manager.test.ts", 60_000],
    ["e2e/rules/layers.test.ts", 60_000],
    ["src/controller/controller.test.ts", 9_500],
  ];
  expect(select(["src/queue/queue.ts", "src/manager/manager.test.ts"], costs)).toEqual({
    run: ["e2e/rules/layers.test.ts", "src/manager/manager.test.ts", "src/queue/queue.test.ts"],
    leftOut: ["src/controller/controller.test.ts"],
  });
});

test("selectTests() runs no test that was deleted", () => {
  expect(select(["src/queue/deleted.test.ts"]).run).toEqual(["e2e/rules/layers.test.ts"]);
});

test("selectTests() selects the tests beside a data file, or in the nearest folder above", () => {
  expect(select(["src/queue/testdata/deep/answers.json"]).run).toEqual(["src/queue/queue.test.ts"]);
});

test.each([
  ["src/README.md", "e2e/rules/layers.test.ts"],
  ["README.md", "e2e/rules/docs.test.ts"],
  ["package.json", "e2e/rules/docs.test.ts"],
  ["templates/typescript/init/x.hbs", "e2e/rules/templates.test.ts"],
  ["templates/typescript/init/x.hbs", "e2e/rules/goldens.test.ts"],
  ["e2e/golden/a/PROJECT", "e2e/rules/goldens.test.ts"],
  ["src/scaffold/plan.ts", "e2e/rules/goldens.test.ts"],
])("selectTests() knows that %s is read by %s", (file, reader) => {
  expect(select([file]).run).toContain(reader);
});
