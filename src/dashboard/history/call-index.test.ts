import { expect, test } from "vitest";
import { History } from "./history.ts";
import { madeCall, madeWrite } from "../../dev/record/testdata/made-records.ts";

const unnamed = { namespace: "default", generateName: "web-" };
const object = { apiVersion: "v1", kind: "Pod", metadata: unnamed };
const pod = { resource: "pods", operation: "CREATE", key: "default/web-", object } as const;

function created(at: number, name: string) {
  return madeWrite({ at, write: "ADDED", resource: "pods" }, { kind: "Pod", metadata: { ...unnamed, name } });
}

const callsAbout = (history: History, name: string) =>
  history.callsAbout(`pods default/${name}`).map(({ uid }) => uid);

test("a call about an object that gets its name later is about the first one that comes then", () => {
  const history = new History();
  history.add(madeCall(10, { ...pod, answer: { allowed: false } }));
  history.add(madeCall(20, { ...pod, dryRun: true }));
  for (const at of [30, 31]) history.add(madeCall(at, pod));
  history.add(madeCall(32, { ...pod, webhook: "other.kb.io" }));
  history.add(created(50, "web-a"));
  history.add(created(60, "web-b"));
  history.add(created(70, "web-c"));
  history.add(madeWrite({ at: 80, write: "ADDED", resource: "pods" }, { metadata: { name: "web-d" } }));
  expect(callsAbout(history, "web-a")).toEqual(["call 30", "call 32"]);
  expect(callsAbout(history, "web-b")).toEqual(["call 31"]);
  expect(callsAbout(history, "web-c")).toEqual([]);
});

test("a call whose object never came is not about a later one", () => {
  const history = new History();
  history.add(madeCall(0, pod));
  history.add(madeCall(1500, pod));
  history.add(created(1600, "web-a"));
  expect(callsAbout(history, "web-a")).toEqual(["call 1500"]);
});
