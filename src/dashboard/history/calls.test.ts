import { expect, test } from "vitest";
import type { RecordedAdmission } from "../../dev/record/recorded.ts";
import { callsOf, reconcilesOfCall } from "./connections.ts";
import { History } from "./history.ts";
import {
  ann,
  madeCall,
  madeObject,
  madeReconcile,
  madeRequest,
  timeOf,
} from "../../dev/record/testdata/made-records.ts";
import { patchedObject, verdictOf } from "../../dev/record/webhook-call.ts";

const mysqls = "/apis/shop.example/v1/namespaces/default/mysqls";

function linked(line: string, changes: Partial<RecordedAdmission> = {}): boolean {
  const history = new History();
  history.add(madeCall(1));
  history.add(madeCall(100, changes));
  history.add(madeReconcile(95, { requests: [madeRequest(line)], seconds: 0.02 }));
  const [, call] = history.calls;
  const [reconcile] = history.reconciles;
  const found = callsOf(history, reconcile!);
  expect(reconcilesOfCall(history, call!)).toEqual(found.length > 0 ? [reconcile] : []);
  expect(found.length === 0 || found[0] === call).toBe(true);
  return found.length > 0;
}

test.each<[string, Partial<RecordedAdmission>]>([
  [`PATCH ${mysqls}/db`, {}],
  [`PATCH ${mysqls}/db?fieldManager=shop`, { operation: "CREATE" }],
  [`PUT ${mysqls}/db/status`, { subresource: "status" }],
  [`POST ${mysqls}`, { operation: "CREATE", key: "default/db-" }],
  [`DELETE ${mysqls}`, { operation: "DELETE" }],
])("a reconcile that sends %s while a webhook is asked has to do with it", (line, changes) => {
  expect(linked(line, changes)).toBe(true);
});

test.each<[string, Partial<RecordedAdmission>]>([
  [`PATCH ${mysqls}/other`, {}],
  [`PATCH ${mysqls}/db/status`, {}],
  [`DELETE ${mysqls}/db`, {}],
  ["POST /apis/shop.example/v1/namespaces/other/mysqls", { operation: "CREATE" }],
  [`PATCH ${mysqls}/db`, { by: ann }],
  [`PATCH ${mysqls}/db`, { at: timeOf(90) }],
  [`PATCH ${mysqls}/db`, { seconds: 0.05 }],
  [`GET ${mysqls}/db`, {}],
])("a reconcile that sends %s has nothing to do with a call for %j", (line, changes) => {
  expect(linked(line, changes)).toBe(false);
});

test("a conversion belongs to each of its objects, and to the reconcile that read them", () => {
  const history = new History();
  const { resource, by } = madeCall(0);
  history.add({
    type: "webhook",
    call: "conversion",
    at: timeOf(10),
    seconds: 0.01,
    uid: "1",
    configuration: resource,
    resource,
    by,
    apiVersion: "shop.example/v2",
    count: 2,
    objects: [madeObject({}), madeObject({}, { name: "other" })],
  });
  history.add(madeReconcile(5, { requests: [madeRequest(`GET ${mysqls}/other`)], seconds: 0.1 }));
  expect(history.callsAbout(`${resource} default/db`)).toEqual(history.calls);
  expect(history.callsAbout(`${resource} default/other`)).toEqual(history.calls);
  expect(callsOf(history, history.reconciles[0]!)).toEqual(history.calls);
  expect(history.to).toBe(105);
});

const patch = [{ op: "add" as const, path: "/spec/size", value: 1 }];
const failure = { reason: "Timeout" as const, message: "" };

test.each<[ReturnType<typeof verdictOf>, Partial<RecordedAdmission>, object | undefined]>([
  ["allowed", { answer: { allowed: true, patch: [] } }, undefined],
  ["patched", { answer: { allowed: true, patch } }, { size: 1 }],
  ["patched", { answer: { allowed: true }, omitted: ["patch"] }, undefined],
  ["patched", { answer: { allowed: true, patch }, object: undefined }, undefined],
  ["denied", { answer: { allowed: false, patch } }, undefined],
  ["failed", { answer: { allowed: true, patch: [{ op: "remove", path: "/a/b" }] }, failure }, undefined],
  ["failed", { answer: undefined, failure }, undefined],
  ["ignored", { answer: undefined, failure, ignored: true }, undefined],
])("the verdict of a call: %s", (verdict, changes, spec) => {
  const call = madeCall(0, changes);
  expect(verdictOf(call)).toBe(verdict);
  expect(patchedObject(call)).toEqual(spec && madeObject(spec));
});
