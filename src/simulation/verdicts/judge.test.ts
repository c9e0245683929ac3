import { expect, test } from "vitest";
import { runOf } from "../../../e2e/support/simulation/simulated-run.ts";
import { shopScenario } from "../../../e2e/support/simulation/simulated-shop.ts";
import type { Phase, TraceEvent } from "../contract/index.ts";
import { judgeTrace } from "./judge.ts";

const scenario = shopScenario();
const operators = ["shop", "mall"].map((name) => ({ ...scenario.operators[0]!, name }));

const change = (by: string, uid: string): TraceEvent => ({
  at: 1,
  type: "change",
  by,
  change: "MODIFIED",
  resource: "shops.sim.dev",
  key: `default/${uid}`,
  uid,
  fields: ["status.seen"],
  owners: [undefined, undefined],
});

const phase = (name: Phase, rests = true, busy: string[] = []): TraceEvent => ({
  at: 1,
  type: "phase",
  phase: name,
  rests,
  busy,
});

test("operators that change the same field of different objects don't fight", () => {
  const run = runOf([change("mall-0", "1"), phase("steps"), change("shop-0", "2"), phase("restart")]);
  expect(judgeTrace(run, { ...scenario, operators })).toMatchObject([{ class: "hot-loop" }]);
});

test("operators that write a field in turn without a user's step in between fight", () => {
  const step: TraceEvent = { at: 1, type: "step", text: "patch Shop.sim.dev/v1 default/1", status: 200 };
  const turns = [change("mall-0", "1"), change("shop-0", "1")];
  const verdictsWith = (between: readonly TraceEvent[]) =>
    judgeTrace(
      runOf([step, ...Array.from({ length: 6 }, () => [...between, ...turns]).flat(), phase("steps")]),
      { ...scenario, operators },
    );
  expect(verdictsWith([])).toMatchObject([{ class: "fight" }]);
  expect(verdictsWith([step])).toEqual([]);
});

test("what an operator does about a fault during the last restart isn't overdue", () => {
  const phases = (done: readonly TraceEvent[]) =>
    judgeTrace(runOf([phase("steps"), phase("months"), ...done, phase("late restart")]), scenario);
  expect(phases([change("shop-0", "1")])).toMatchObject([{ class: "overdue" }]);
  expect(phases([{ at: 1, type: "fault", text: "pod 0 crashes" }, change("shop-0", "1")])).toEqual([]);
});

test("a process that works without end and changes nothing hangs, in its last request", () => {
  const request = { type: "request", method: "GET", kind: "GET Shop", status: 200 } as const;
  const run = runOf([
    { ...request, at: 0, process: "shop-0", path: "/mine" },
    { ...request, at: 0, process: "shop-1", path: "/other" },
    phase("steps", false, ["shop-0"]),
  ]);
  expect(judgeTrace(run, scenario)).toMatchObject([
    {
      class: "hang",
      message: "shop-0 works without end, but changes nothing; its last request was GET /mine",
    },
  ]);
});

test("a promise that was broken is named", () => {
  const broken: TraceEvent = { at: 1, type: "promise", promise: "always", name: "one leader" };
  expect(judgeTrace(runOf([broken]), scenario)).toMatchObject([
    { class: "promise", message: "always: one leader" },
  ]);
});

test("what a namespace that goes away forbids is no missing permission", () => {
  const path = "/api/v1/namespaces/other/configmaps";
  const request: TraceEvent = {
    at: 2,
    type: "request",
    process: "shop-0",
    method: "POST",
    path,
    kind: "POST ConfigMap",
    status: 403,
  };
  const ends = { ...change("user", "1"), resource: "namespaces", fields: ["metadata.deletionTimestamp"] };
  const classes = (key: string): unknown[] =>
    judgeTrace(runOf([{ ...ends, key } as TraceEvent, request]), scenario).map((verdict) => verdict.class);
  expect(classes("other")).toEqual([]);
  expect(classes("default")).toEqual(["forbidden"]);
});
