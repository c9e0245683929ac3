import { expect, test } from "vitest";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { runOf } from "../../../e2e/support/simulation/simulated-run.ts";
import { applyShop, shopScenario } from "../../../e2e/support/simulation/simulated-shop.ts";
import { stateOf, type Step, type TraceEvent } from "../contract/index.ts";
import { differencesOf } from "./differences.ts";
import { judgeState, judgeTrace } from "./judge.ts";
import { pausedObjects } from "./left-out.ts";

const shop = (more: object = {}): KubernetesObject => ({
  apiVersion: "sim.dev/v1",
  kind: "Shop",
  metadata: { namespace: "default", name: "a", uid: "1", generation: 2 },
  ...more,
});
const change = (by: string, field: string, uid = "1"): TraceEvent => ({
  at: 1,
  type: "change",
  by,
  change: "MODIFIED",
  resource: "shops.sim.dev",
  key: "default/a",
  uid,
  fields: [field],
  owners: [undefined, undefined],
});
const scenario = shopScenario();

test("two writers without end are a fight over a field, one writer is a loop", () => {
  const end: TraceEvent = { at: 2, type: "phase", phase: "steps", rests: false };
  const writes = (...by: string[]): TraceEvent[] =>
    Array.from({ length: 40 }, (_, index) => change(by[index % by.length]!, "spec.replicas"));
  expect(judgeTrace(runOf([...writes("shop-0", "cluster"), end]), scenario)).toMatchObject([
    {
      class: "fight",
      message: "shop-0 and cluster change spec.replicas of shops.sim.dev default/a without end",
    },
  ]);
  expect(judgeTrace(runOf([...writes("shop-0"), end]), scenario)).toMatchObject([{ class: "hot-loop" }]);
  // What the cluster makes of it is no answer.
  const shown = Array.from({ length: 20 }, () => [
    change("shop-0", "spec.replicas"),
    change("cluster", "status.ready"),
    change("cluster", "status.ready"),
  ]).flat();
  expect(judgeTrace(runOf([...shown, end]), scenario)).toMatchObject([
    { class: "hot-loop", message: "shop-0 changes spec.replicas of shops.sim.dev default/a without end" },
  ]);
  const made = { ...change("shop-0", ""), change: "ADDED", fields: [] } as unknown as TraceEvent;
  const gone = { ...made, change: "DELETED", by: "cluster" } as TraceEvent;
  const remade = Array.from({ length: 20 }, () => [made, change("cluster", "status.ready"), gone]).flat();
  expect(judgeTrace(runOf([...remade, end]), scenario)).toMatchObject([
    { class: "hot-loop", message: "shop-0 creates shops.sim.dev default/a without end" },
  ]);
});

test("two operators that change one field are a fight, even if a restart shows it", () => {
  const operators = ["shop", "mall"].map((name) => ({ ...scenario.operators[0]!, name }));
  const [steps, restart] = (["steps", "restart"] as const).map(
    (phase) => ({ at: 1, type: "phase", phase, rests: true }) as const,
  );
  const trace = [change("mall-0", "data.by"), steps!, change("shop-0", "data.by"), restart!];
  expect(judgeTrace(runOf(trace), { ...scenario, operators })).toMatchObject([
    { class: "fight", message: "shop-0 and mall-0 change data.by of shops.sim.dev default/a without end" },
  ]);
});

const error = (at: number): TraceEvent => ({
  at,
  type: "log",
  process: "shop-0",
  level: "error",
  message: "no",
});

test("an error is excused by a deletion for a while, or by a fault", () => {
  const deletion: TraceEvent = { ...change("user", ""), at: 1000, change: "DELETED" } as TraceEvent;
  const classesOf = (...trace: TraceEvent[]): string[] =>
    judgeTrace(runOf(trace), scenario).map(({ class: name }) => name);
  expect(classesOf(deletion, error(1500))).toEqual([]);
  expect(classesOf(error(500), deletion)).toEqual(["error"]);
  expect(classesOf(deletion, error(40_000))).toEqual(["error"]);
  const outage: TraceEvent[] = [error(150_000), error(300_000), error(490_000)];
  const long = [{ fault: "node", at: 100_000, for: 400_000 }] as const;
  expect(judgeTrace(runOf(outage), { ...scenario, faults: long })).toEqual([]);
  const faults = [{ fault: "hold", process: "shop-0", at: 0, for: 1000 }] as const;
  const disturbed = (...at: number[]): string[] =>
    judgeTrace(runOf(at.map(error)), { ...scenario, faults }).map(({ class: name }) => name);
  // One that healed is an accident.
  expect([disturbed(20_000, 20_001), disturbed(40_000), disturbed(40_000, 50_000)]).toEqual([
    [],
    [],
    ["error"],
  ]);
});

test("a fault that lasts excuses errors until it ends", () => {
  const errors = [error(50_000), error(70_000)];
  const lasting = (milliseconds: number): number => {
    const during = { process: "shop-0", at: 1000, for: milliseconds } as const;
    const fault = { fault: "refuse", requests: "PATCH Shop", with: "error", done: false, ...during } as const;
    const trace: TraceEvent[] = [{ at: 1000, type: "fault", text: "PATCH Shop fails" }, ...errors];
    return judgeTrace(runOf(trace), { ...scenario, faults: [fault] }).length;
  };
  expect([lasting(10_000), lasting(100_000)]).toEqual([1, 0]);
});

test("what nobody can carry out excuses errors until the user corrects it; an image that doesn't exist, for minutes", () => {
  const step = (at: number): TraceEvent => ({ at, type: "step", text: "", status: 200 });
  const judge = (colour: string, ...errors: number[]): number => {
    const steps = [
      { ...applyShop("a", { size: 1 }), strange: false },
      { ...applyShop("a", { size: 1, colour }), strange: true },
      applyShop("a", { size: 1 }),
    ] as Step[];
    const trace = [step(0), step(50_000), step(200_000), ...errors.map(error)];
    return judgeTrace(runOf(trace), { ...scenario, steps }).length;
  };
  expect(judge("not valid!", 100_000, 190_000, 220_000)).toBe(0);
  expect(judge("not valid!", 240_000, 250_000)).toBe(1);
  expect(judge("not valid!", 40_000, 45_000)).toBe(1);
  expect(judge("1.999", 240_000, 600_000)).toBe(0);
  expect(judge("1.999", 700_000, 710_000)).toBe(1);
});

test("a watch that has to list again excuses errors for a while", () => {
  const faults = [{ fault: "hold", process: "shop-0", at: 0, for: 20_000 }] as const;
  const process = "shop-0";
  const errors = [70_000, 70_100].map((at): TraceEvent => ({
    at,
    type: "log",
    process,
    level: "error",
    message: "no",
  }));
  const failed: TraceEvent = {
    at: 45_000,
    type: "watch",
    process,
    path: "/api/v1/configmaps",
    event: "ERROR",
    key: "",
  };
  const judge = (trace: TraceEvent[]): number => judgeTrace(runOf(trace), { ...scenario, faults }).length;
  expect([judge(errors), judge([failed, ...errors])]).toEqual([1, 0]);
});

test("a request without an answer excuses errors from the moment in which its client stops waiting", () => {
  const faults = [
    { fault: "refuse", process: "shop-0", request: 1, with: "time-out", done: false },
    { fault: "refuse", process: "shop-0", request: 2, with: "time-out", done: false },
  ] as const;
  const of = (at: number): TraceEvent[] => [
    { at, type: "fault", text: "time-out" },
    {
      at: at + 30_000,
      type: "request",
      process: "shop-0",
      method: "GET",
      path: "/",
      kind: "GET Shop",
      status: 0,
    },
    // The reconcile did the rest of its work before it failed.
    { at: at + 30_005, type: "log", process: "shop-0", level: "error", message: "no answer" },
  ];
  const classesOf = (trace: TraceEvent[]): string[] =>
    judgeTrace(runOf(trace), { ...scenario, faults }).map(({ class: name }) => name);
  expect(classesOf([...of(0), ...of(100_000)])).toEqual([]);
  expect(classesOf([...of(0), ...of(100_000)].filter(({ type }) => type !== "request"))).toEqual(["error"]);
});

test("an object that an operator found is not to be overwritten as if it were one that it makes", () => {
  const overwrites = change("shop-0", "data.size", "7");
  const makes = {
    ...change("shop-0", "", "8"),
    key: "default/b",
    change: "ADDED",
    fields: [],
  } as unknown as TraceEvent;
  expect(judgeTrace(runOf([makes, overwrites]), scenario)).toMatchObject([{ class: "foreign-object" }]);
  expect(judgeTrace(runOf([overwrites]), scenario)).toEqual([]);
});

test("an object that somebody else created is not to be taken and overwritten", () => {
  const taken = { ...change("shop-0", "data.size", "7"), owners: [undefined, "1"] } as TraceEvent;
  expect(judgeTrace(runOf([taken]), scenario)).toMatchObject([{ class: "foreign-object" }]);
  const created = { ...taken, change: "ADDED", fields: [] } as unknown as TraceEvent;
  expect(judgeTrace(runOf([created, taken]), scenario)).toEqual([]);
});

test("an operator may delete custom resources, and what belongs to it or to them", () => {
  const gone = (uid: string, resource: string, owner?: string): TraceEvent =>
    ({
      ...change("shop-0", "", uid),
      resource,
      change: "DELETED",
      fields: [],
      owners: [owner, owner],
    }) as TraceEvent;
  const made = (by: string, uid: string, resource: string, owner?: string): TraceEvent =>
    ({ ...gone(uid, resource, owner), by, change: "ADDED" }) as TraceEvent;
  expect(judgeTrace(runOf([gone("1", "shops.sim.dev")]), scenario)).toEqual([]);
  expect(judgeTrace(runOf([gone("1", "pods")]), scenario)).toMatchObject([{ class: "foreign-object" }]);
  for (const owner of ["1", "2"])
    expect(
      judgeTrace(
        runOf([
          made("user", "1", "shops.sim.dev"),
          made("shop-0", "2", "deployments.apps"),
          made("cluster", "3", "replicasets.apps", owner),
          made("cluster", "4", "pods", "3"),
          gone("4", "pods", "3"),
        ]),
        scenario,
      ),
    ).toEqual([]);
});

test("a write by a process that doesn't lead, a 403, and a change by a restart are named", () => {
  const replicas = { ...scenario, operators: scenario.operators.map((one) => ({ ...one, replicas: 2 })) };
  const leads: TraceEvent = { at: 0, type: "leads", process: "shop-1" };
  expect(judgeTrace(runOf([leads, change("shop-0", "status")]), replicas)).toMatchObject([
    { class: "without-lease", message: "shop-0 writes shops.sim.dev default/a while shop-1 holds the lease" },
  ]);
  const forbidden: TraceEvent = {
    at: 1,
    type: "request",
    process: "shop-0",
    method: "GET",
    path: "/x",
    kind: "GET ConfigMap",
    status: 403,
  };
  expect(judgeTrace(runOf([forbidden]), scenario)).toMatchObject([{ class: "forbidden" }]);
  const phases = (["steps", "restart"] as const).map(
    (phase) => ({ at: 1, type: "phase", phase, rests: true }) as const,
  );
  expect(
    judgeTrace(runOf([phases[0]!, change("shop-0", "status.seen"), phases[1]!]), scenario),
  ).toMatchObject([
    {
      class: "hot-loop",
      message: expect.stringContaining("after a restart shop-0 changes status.seen") as string,
    },
  ]);
});

test("the status must speak of the current generation, in conditions that are well-formed, and nothing may be left", () => {
  const condition = {
    type: "Ready",
    status: "True",
    reason: "Good",
    lastTransitionTime: "2030-01-01T00:00:00Z",
  };
  const classesOf = (status: object): string[] =>
    judgeState(runOf([], [shop({ status })]), scenario).map(({ class: name }) => name);
  expect(classesOf({ observedGeneration: 2, conditions: [condition] })).toEqual([]);
  expect(classesOf({ observedGeneration: 1 })).toEqual(["observed-generation"]);
  expect(classesOf({ conditions: [{ ...condition, observedGeneration: 1 }] })).toEqual([
    "observed-generation",
  ]);
  for (const wrong of [
    { status: "yes" },
    { reason: "not good" },
    { lastTransitionTime: "now" },
    { type: "" },
  ])
    expect(classesOf({ conditions: [{ ...condition, ...wrong }] })).toEqual(["conditions"]);
  expect(classesOf({ conditions: [condition, condition] })).toEqual(["conditions"]);
  expect(judgeState({ ...runOf([]), leftovers: [shop()] }, scenario)).toMatchObject([
    { class: "leftover", message: "after the deletion, Shop.sim.dev/v1 default/a is left" },
  ]);
});

test("what a user paused, and what it owns, is not compared, nor need its status be new", () => {
  const status = { observedGeneration: 1 };
  const owned = (kind: string, uid: string, owner: string): KubernetesObject => ({
    apiVersion: "v1",
    kind,
    metadata: {
      namespace: "default",
      name: kind.toLowerCase(),
      uid,
      ownerReferences: [{ apiVersion: "v1", kind: "Any", name: "any", uid: owner }],
    },
  });
  const paused = [shop({ spec: { paused: true }, status }), owned("Pod", "3", "2"), owned("Job", "2", "1")];
  const steps = [{ do: "apply", object: shop() }] as const;
  const given = { ...scenario, steps };
  expect(judgeState(runOf([], paused), given)).toEqual([]);
  expect(pausedObjects(stateOf(paused), given)).toEqual(new Set(paused));
  const here = stateOf([...paused, shop({ kind: "Other" })]);
  const leftOut = { objects: pausedObjects(here, given), statuses: new Set<KubernetesObject>() };
  expect(differencesOf(here, stateOf([]), leftOut).map(({ object }) => object)).toEqual([
    "Other.sim.dev/v1 default/a",
  ]);

  const running = [shop({ spec: { paused: false }, status }), ...paused.slice(1)];
  expect(judgeState(runOf([], running), given)).toMatchObject([{ class: "observed-generation" }]);
  expect(pausedObjects(stateOf(running), given)).toEqual(new Set());
  expect(pausedObjects(stateOf(paused), { ...scenario, steps: [] })).toEqual(new Set());
});
