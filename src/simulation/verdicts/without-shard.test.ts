import { expect, test } from "vitest";
import { shopScenario } from "../../../e2e/support/simulation/simulated-shop.ts";
import type { SimulatedOperator, TraceEvent } from "../contract/index.ts";
import { findUnshardedWrite } from "./judge.ts";

const all = "f".repeat(16);

const change = (
  by: string,
  uid: string,
  kind: "ADDED" | "MODIFIED" = "MODIFIED",
  owner?: string,
): TraceEvent => ({
  at: 1,
  type: "change",
  by,
  change: kind,
  resource: "shops.sim.dev",
  key: `default/${uid}`,
  uid,
  fields: [],
  owners: [undefined, owner],
});
const claims = (claimed: string, lease = "1"): TraceEvent => ({
  at: 1,
  type: "claims",
  process: "shop-0",
  lease,
  claims: claimed,
});
const start: TraceEvent = { at: 1, type: "start", process: "shop-0" };
const created = change("user", "a", "ADDED");

const found = (trace: TraceEvent[], sharding: SimulatedOperator["sharding"] = "uid"): string[] => {
  const scenario = shopScenario();
  const operators = scenario.operators.map((operator) => ({ ...operator, replicas: 2, sharding }));
  return findUnshardedWrite([created, ...trace], { ...scenario, operators }).map(({ message }) => message);
};

const isWrong = [expect.stringMatching(/^shop-0 writes shops\.sim\.dev default\/., which is in no shard/)];

test.each(["uid", "namespace"] as const)("by %s, a process writes what its own Lease claims", (by) => {
  expect(found([start, claims(all), change("shop-0", "a")], by)).toEqual([]);
  expect(found([start, claims("0".repeat(16)), change("shop-0", "a")], by)).toEqual(isWrong);
  expect(found([start, change("shop-0", "a")], by)).toEqual(isWrong);
});

test("the Lease of a former life claims nothing, and neither does one that is deleted", () => {
  expect(found([claims(all), start, change("shop-0", "a")])).toEqual(isWrong);
  expect(found([start, claims(all), claims(""), change("shop-0", "a")])).toEqual(isWrong);
  expect(found([claims(all), start, claims(all, "2"), claims(""), change("shop-0", "a")])).toEqual([]);
});

test("what a user's object owns is in its shard; where others are is not known", () => {
  expect(found([start, change("shop-0", "b", "ADDED", "a")])).toEqual(isWrong);
  expect(found([start, change("shop-0", "b", "ADDED")])).toEqual([]);
});

test("nothing is said of operators that share nothing", () => {
  const scenario = shopScenario();
  expect(findUnshardedWrite([created, start, change("shop-0", "a")], scenario)).toEqual([]);
});
