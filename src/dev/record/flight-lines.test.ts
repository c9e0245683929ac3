import type { FlightLine } from "@tsbuilder/runtime/advanced";
import { expect, test } from "vitest";
import { FlightLines } from "./flight-lines.ts";

const header = (since: number, at = since): FlightLine => ({
  channel: "tsbuilder:flight",
  at,
  format: 2,
  name: "shop",
  pod: "shop-1",
  since,
});

const start: FlightLine = {
  channel: "tsbuilder:reconcile:start",
  controller: "c",
  request: "r",
  reconcileID: "1",
  at: 1000,
};

const end: FlightLine = {
  channel: "tsbuilder:reconcile:end",
  reconcileID: "1",
  loggedID: "id-1",
  outcome: "error",
  requeueAfter: undefined,
  error: "no luck",
  stack: undefined,
  seconds: 1,
  at: 2000,
};

const told = (...lines: readonly FlightLine[]) => {
  const pod = new FlightLines("shop-1");
  return [...lines.flatMap((line) => pod.add(line)), ...pod.unfinished()];
};

test("a reconcile has the ID that lines of the log have; the next one runs because of it", () => {
  const again: FlightLine = { ...start, reconcileID: "2", at: 3000 };
  expect(told(start, end, again)).toMatchObject([
    { type: "reconcile", controller: "c", reconcileID: "id-1", outcome: "error", causes: [] },
    { type: "reconcile", reconcileID: "2", outcome: "unfinished", causes: ["retry after error"] },
  ]);
});

test("a reconcile whose beginning was dropped is left out", () => {
  expect(told(end)).toEqual([]);
});

test("what ran when a process ended is unfinished, and another process begins", () => {
  expect(told(header(500), start, header(500, 1500), header(5000), end)).toMatchObject([
    { type: "dev", text: "a process of pod shop-1 begins its record" },
    { type: "reconcile", outcome: "unfinished", request: "r" },
    { type: "dev", at: "1970-01-01T00:00:05.000Z" },
  ]);
});

test("lines of the log name their pod", () => {
  const log = (text: string): FlightLine => ({ channel: "tsbuilder:log", at: 0, text });
  expect(told(log('{"msg":"Working"}\n'), log("plain\n"))).toMatchObject([
    { type: "operator", text: '{"msg":"Working","pod":"shop-1"}' },
    { type: "operator", text: "shop-1 plain" },
  ]);
});

test.each<[string | undefined, boolean, object | undefined]>([
  ["shop", true, { user: "system:serviceaccount:shop-system:shop-controller-manager" }],
  ["shop", false, { user: "system:serviceaccount:shop-system:shop-controller-manager" }],
  ["kube-controller-manager", false, { user: "system:kube-controller-manager" }],
  ["kubectl-edit", false, { user: "manager:kubectl-edit", userAgent: "kubectl-edit" }],
  [undefined, false, undefined],
])("a change by the manager %s (own: %s) has the writer of a record", (manager, isOwnWrite, by) => {
  const object = { apiVersion: "v1", kind: "Pod", metadata: { namespace: "default", name: "db" } };
  const change: FlightLine = {
    channel: "tsbuilder:change",
    at: 1000,
    change: "update",
    resource: "pods",
    isOwnWrite,
    manager,
    object,
  };
  expect(told(header(500), change)[1]).toEqual({
    type: "write",
    at: "1970-01-01T00:00:01.000Z",
    write: "MODIFIED",
    resource: "pods",
    key: "default/db",
    by,
    object,
  });
});
