import { expect, test } from "vitest";
import { applyShop, type Shop, shopScenario } from "../../../e2e/support/simulation/simulated-shop.ts";
import type { Scenario, TraceEvent } from "../contract/index.ts";
import { type Change, findForeignObjects } from "./judge.ts";

const scenario = shopScenario();

const change = (by: string, uid: string, more: Partial<Change> = {}): TraceEvent => ({
  at: 1,
  type: "change",
  by,
  change: "MODIFIED",
  resource: "configmaps",
  key: `default/${uid}`,
  uid,
  fields: ["data.size"],
  owners: [undefined, undefined],
  ...more,
});

const messagesOf = (trace: readonly TraceEvent[], within: Scenario = scenario): string[] =>
  findForeignObjects(trace, within).map(({ message }) => message);

test("an object is not to be taken from its owner, unless that is gone", () => {
  const takes = change("shop-0", "1", { owners: ["theirs", "mine"] });
  expect(messagesOf([takes])).toEqual(["shop-0 takes configmaps default/1 from the owner that controls it"]);
  const gone = change("user", "theirs", { change: "DELETED", resource: "deployments.apps" });
  expect(messagesOf([gone, takes])).toEqual([]);
  expect(messagesOf([takes, gone])).toHaveLength(1);
});

test("what a user names in a spec may be overwritten, though the operator makes such objects", () => {
  const makes = change("shop-0", "own", { change: "ADDED", fields: [] });
  const overwrites = change("shop-0", "settings");
  const named = applyShop("a", { size: 1, colour: "settings" } satisfies Shop["spec"]);
  expect(messagesOf([makes, overwrites])).toEqual([
    "shop-0 overwrites configmaps default/settings, which somebody else created",
  ]);
  expect(messagesOf([makes, overwrites], { ...scenario, steps: [named] })).toEqual([]);
});

test("whoever removes the last finalizer of an object that is being deleted did not delete it", () => {
  const gone = { change: "DELETED" } as const;
  expect(messagesOf([change("shop-0", "1", { ...gone, fields: ["metadata.finalizers"] })])).toEqual([]);
  expect(messagesOf([change("shop-0", "1", { ...gone, fields: [] })])).toEqual([
    "shop-0 deletes configmaps default/1, which somebody else created",
  ]);
});

test("the volume claims of a StatefulSet belong to whose it is", () => {
  const set = change("shop-0", "web", { change: "ADDED", resource: "statefulsets.apps", fields: [] });
  const claim = { resource: "persistentvolumeclaims", fields: [] } as const;
  const made = (uid: string): TraceEvent => change("cluster", uid, { ...claim, change: "ADDED" });
  const deletes = (uid: string): TraceEvent => change("shop-0", uid, { ...claim, change: "DELETED" });
  expect(messagesOf([set, made("data-web-0"), deletes("data-web-0")])).toEqual([]);
  expect(messagesOf([set, made("data-other-web-0x"), deletes("data-other-web-0x")])).toEqual([
    "shop-0 deletes persistentvolumeclaims default/data-other-web-0x, which cluster created",
  ]);
});
