import { expect, test } from "vitest";
import { maskState } from "./mask-state.ts";

const event = {
  metadata: { name: "shop.1", namespace: "web" },
  involvedObject: { kind: "Service" },
  reason: "ClusterIPNotAllocated",
  message: "Cluster IP [IPv4]: 10.0.84.231 is not allocated; repairing",
};

/** The masked form of an Event. */
function shown(reporter: object): unknown[] {
  return maskState([{ kind: "EventList", items: [{ ...event, ...reporter }] }], "web");
}

test("what the repair of addresses says is left out, in Events of both groups", () => {
  expect(shown({ source: { component: "ipallocator-repair-controller" } })).toEqual([]);
  expect(shown({ source: {}, reportingComponent: "ipallocator-repair-controller" })).toEqual([]);
  expect(shown({ source: {}, reportingComponent: "shop-controller" })).toHaveLength(1);
});
