import { expect, test } from "vitest";
import type { Recorded } from "../record/recorded.ts";
import { ann, bodyOf, mysql, write, written } from "./testdata/sample-writes.ts";

const done = (second: number, name: string, input: Record<string, string | number> = {}): Recorded => ({
  type: "action",
  at: new Date(second * 1000).toISOString(),
  name,
  input,
  outcome: "done",
  seconds: 1,
});

test("an operator that the page restarted is restarted, where hands were not done before", () => {
  const { text, notes } = written([
    done(0, "restart"),
    write(1, "ADDED", ann, mysql("a")),
    done(2, "restart"),
    done(3, "lose-leader"),
    write(4, "ADDED", ann, mysql("b")),
    { ...done(5, "restart"), outcome: "refused" } as Recorded,
  ]);
  expect(notes).toEqual([]);
  const steps = bodyOf(text)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => !line.startsWith("expect"));
  expect(steps.slice(0, 10)).toEqual([
    "let { client } = manager;",
    "",
    'await client.create(MySQL, { metadata: { name: "a", namespace: "default" } });',
    "",
    "await untilIdle(manager.manager);",
    "",
    "await manager.stop();",
    "manager = await startTestManager(cluster.kubeconfig, setupMySQLController);",
    "({ client } = manager);",
    expect.anything(),
  ]);
  expect(text.match(/manager\.stop\(\)/gu)).toHaveLength(1);
});

const met = (second: number, verb: string, resource: string): Recorded => ({
  type: "fault",
  at: new Date(second * 1000).toISOString(),
  verb,
  resource,
  code: 403,
});

const plan = { verb: "create", resource: "secrets", code: 403 };

test("the operator's requests fail where the page had them fail, and hands' don't", () => {
  const { text, notes } = written([
    done(0, "fail", plan),
    met(1, "create", "secrets"),
    write(2, "ADDED", ann, mysql("a")),
    done(5, "fail", { verb: "patch", resource: "secrets", delay: 5000, times: 2 }),
    done(6, "restart"),
    met(7, "patch", "secrets"),
    met(8, "patch", "secrets"),
    write(9, "ADDED", ann, mysql("b")),
  ]);
  expect(notes).toEqual([]);
  expect(text).toContain('import { controllerNames, PlannedFailures } from "@tsbuilder/cluster";\n');
  expect(text).toContain(
    '    intercept: (request) => (request.user === "operator" ? failures.take(request) : undefined),\n',
  );
  const start =
    'manager = await startTestManager(cluster.addUser("operator", ["system:masters"]), setupMySQLController);';
  expect(text).toContain(`  ${start}\n});\n`);
  const steps = bodyOf(text)
    .split("\n")
    .map((line) => line.trim());
  expect(steps.slice(0, 14)).toEqual([
    "const client = createClient(await loadConfig({ kubeconfig: cluster.kubeconfig, env: {} }));",
    "",
    'failures.plan({ verb: "create", resource: "secrets", outcome: { code: 403 }, times: 1 });',
    'await client.create(MySQL, { metadata: { name: "a", namespace: "default" } });',
    "",
    "await untilIdle(manager.manager);",
    "",
    'failures.plan({ verb: "patch", resource: "secrets", outcome: { delay: 5000 }, times: 2 });',
    "await manager.stop();",
    start,
    "",
    "await untilIdle(manager.manager);",
    "",
    'await client.create(MySQL, { metadata: { name: "b", namespace: "default" } });',
  ]);
  expect(text).toContain("  await eventually(() => expect(failures.plans).toEqual([]));\n");
});

test("after a restart, failures are planned when the operator is idle; refused ones are none", () => {
  const { text } = written([
    write(1, "ADDED", ann, mysql("a")),
    done(2, "restart"),
    done(2, "fail", plan),
    { ...done(3, "fail", { ...plan, resource: "secret" }), outcome: "refused" } as Recorded,
    met(4, "create", "secrets"),
  ]);
  expect(bodyOf(text)).toMatch(/manager = await [^\n]*\n\n +await untilIdle[^\n]*\n\n +failures\.plan\(/u);
  expect(text.match(/failures\.plan\(/gu)).toHaveLength(1);
  expect(text).toContain("failures.plans");
});

test.each([
  ["some of which no request met", [done(2, "fail", { ...plan, times: 2 }), met(3, "create", "secrets")]],
  ["which were taken back", [done(2, "fail", plan), done(3, "fail", { ...plan, times: 0 })]],
])("of failures %s, the test does not expect that all are met", (_, happened) => {
  const { text } = written([write(1, "ADDED", ann, mysql("a")), ...happened]);
  expect(text).toContain("failures.plan({");
  expect(text).not.toContain("failures.plans");
});

test("moves of the clock are noted", () => {
  const { notes } = written([write(1, "ADDED", ann, mysql("a")), done(4, "move-clock", { seconds: 3600 })]);
  expect(notes).toEqual([
    "the page moved the clock forward by 1 h, which the test does not: give the cluster and the manager a FakeClock, and move it with moveClock of @tsbuilder/runtime/testing",
  ]);
});
