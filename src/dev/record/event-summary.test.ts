import { expect, test } from "vitest";
import { summarizeEvent } from "./recorded.ts";

const pod = { kind: "Pod", namespace: "default", name: "db-0", uid: "1" };

test("an Event is read alike in both of its groups", () => {
  const expected = { regarding: pod, isWarning: true, reason: "BackOff", text: "no image", times: 3 };
  const same = { type: "Warning", reason: "BackOff" };
  const core = { ...same, involvedObject: pod, message: "no image", count: 3 };
  expect(summarizeEvent({ resource: "events", object: core })).toEqual(expected);
  const current = { ...same, regarding: pod, note: "no image", series: { count: 3 } };
  expect(summarizeEvent({ resource: "events.events.k8s.io", object: current })).toEqual(expected);
  expect(
    summarizeEvent({ resource: "events", object: { ...current, series: undefined, deprecatedCount: 3 } }),
  ).toEqual(expected);
});

test("one that says nothing happened once, and other objects are none", () => {
  expect(summarizeEvent({ resource: "events", object: {} })).toEqual({
    regarding: undefined,
    isWarning: false,
    reason: "",
    text: "",
    times: 1,
  });
  expect(summarizeEvent({ resource: "pods", object: { regarding: pod } })).toBeUndefined();
});
