import { expect, test } from "vitest";
import { OperatorLeases } from "./operator-leases.ts";

const operator = { user: "operator" };

function observe(...writes: Parameters<OperatorLeases["observe"]>[0][]) {
  const leases = new OperatorLeases((user) => user === operator.user);
  for (const write of writes) leases.observe(write);
  return leases;
}

function held(...writes: Parameters<typeof observe>) {
  return observe(...writes).held;
}

function lease(holderIdentity: string, by = operator, labels: object = {}) {
  const object = { metadata: { labels }, spec: { holderIdentity } };
  const resource = "leases.coordination.k8s.io";
  return {
    type: "MODIFIED",
    resource,
    key: "shop-system/shop",
    by,
    bytes: Buffer.from(JSON.stringify(object)),
  } as const;
}

test("the operator holds the Lease that it has written with a holder", () => {
  expect(held()).toBeUndefined();
  expect(held(lease("a"))).toEqual({ namespace: "shop-system", name: "shop" });
});

test("it holds none that was released, deleted or taken, and none of others", () => {
  expect(held(lease("a"), lease(""))).toBeUndefined();
  expect(held(lease("a"), { ...lease("a"), type: "DELETED" })).toBeUndefined();
  expect(held(lease("a"), lease("b", { user: "ann" }))).toBeUndefined();
  expect(held(lease("a", { user: "system:node:a" }))).toBeUndefined();
  expect(held({ ...lease("a"), resource: "configmaps" })).toBeUndefined();
});

test("a Lease of a shard is none by which somebody leads", () => {
  expect(held(lease("a", operator, { "tsbuilder.dev/shards": "shop" }))).toBeUndefined();
});

test("that it has held a Lease is known after it was taken; one of others, or of a shard, is none", () => {
  expect(observe().hasLed).toBe(false);
  expect(observe(lease("a"), lease("b", { user: "ann" })).hasLed).toBe(true);
  expect(observe(lease("b", { user: "ann" })).hasLed).toBe(false);
  expect(observe(lease("a", operator, { "tsbuilder.dev/shards": "shop" })).hasLed).toBe(false);
});
