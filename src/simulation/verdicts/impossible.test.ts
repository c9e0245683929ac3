import { expect, test } from "vitest";
import { type Run, stateOf, type TraceEvent } from "../contract/index.ts";
import { impossibleIn, isImpossible } from "./left-out.ts";

const object = "ConfigMap.v1 default/a";
const end: TraceEvent = { at: 2, type: "phase", phase: "steps", rests: true };

function write(status: number, method = "PATCH", body?: object): TraceEvent {
  const path = `/api/v1/namespaces/default/configmaps${method === "POST" ? "" : "/a"}?fieldManager=shop`;
  return {
    at: 1,
    type: "request",
    process: "shop-0",
    method,
    path,
    kind: `${method} ConfigMap`,
    object,
    status,
    body: JSON.stringify(body),
  };
}

const of = (...trace: TraceEvent[]) => impossibleIn({ trace } as unknown as Run, []);

test("objects that the API server refuses in the end are no part of a comparison", () => {
  expect([...of(write(200), write(422)).objects]).toEqual([object]);
  expect([...of(write(422), write(200)).objects]).toEqual([]);
  expect([...of(write(422, "POST")).objects]).toEqual([object]);
  expect([...of(write(409)).objects]).toEqual([]);
  // Nobody knows what the server would have answered.
  expect([...of(write(422), write(0)).objects]).toEqual([object]);
  expect([...of(write(422), end, write(200)).objects]).toEqual([object]);
});

test("the status of their owners tells of what was there before", () => {
  const shop = { apiVersion: "sim.dev/v1", kind: "Shop", name: "a", uid: "1" };
  const impossible = of(write(422, "PATCH", { metadata: { namespace: "default", ownerReferences: [shop] } }));
  const differs = (field: string | undefined) =>
    isImpossible(impossible, { object: "Shop.sim.dev/v1 default/a", field });
  expect(["status", "status.conditions", "spec", "statusText", undefined].map(differs)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
  expect(isImpossible(impossible, { object, field: "data" })).toBe(true);
});

test("what has the same owner may be as it was before, or not be there", () => {
  const ownerReferences = [{ apiVersion: "sim.dev/v1", kind: "Shop", name: "a", uid: "1" }];
  const child = (name: string, owners?: typeof ownerReferences) => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { namespace: "default", name, ...(owners && { ownerReferences: owners }) },
  });
  const trace = [write(422, "PATCH", { metadata: { namespace: "default", ownerReferences } })];
  const { objects } = impossibleIn({ trace } as unknown as Run, [
    stateOf([child("sibling", ownerReferences), child("stranger")]),
  ]);
  expect([...objects]).toEqual([object, "Service.v1 default/sibling"]);
});
