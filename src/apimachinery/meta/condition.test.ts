import { expect, test } from "vitest";
import { FakeClock } from "../time/fake-clock.ts";
import { type Condition, isConditionTrue, removeCondition, setCondition } from "./condition.ts";

const early = new FakeClock(new Date("2024-05-01T12:00:00.900Z"));
const late = new FakeClock(new Date("2024-05-01T13:00:00Z"));
const ready = { type: "Ready", status: "True", reason: "Up" } as const;

test("setCondition() adds a condition with its transition time in seconds", () => {
  expect(setCondition(undefined, ready, early)).toEqual([
    { type: "Ready", status: "True", reason: "Up", message: "", lastTransitionTime: "2024-05-01T12:00:00Z" },
  ]);
});

test("setCondition() keeps the transition time while the status is unchanged", () => {
  const before = setCondition(undefined, ready, early);
  const [after] = setCondition(before, { ...ready, reason: "Better", message: "yes" }, late);
  expect(after).toMatchObject({
    reason: "Better",
    message: "yes",
    lastTransitionTime: "2024-05-01T12:00:00Z",
  });
});

test("setCondition() updates the transition time when the status changes, and doesn't modify its argument", () => {
  const before = Object.freeze(setCondition(undefined, ready, early)) as Condition[];
  const [after] = setCondition(before, { ...ready, status: "False" }, late);
  expect(after!.lastTransitionTime).toBe("2024-05-01T13:00:00Z");
  expect(isConditionTrue(before, "Ready")).toBe(true);
});

test("setCondition() keeps the order and the other conditions", () => {
  const two = setCondition(setCondition(undefined, ready, early), { ...ready, type: "Backup" }, early);
  const again = setCondition(two, { ...ready, status: "Unknown" }, late);
  expect(again.map(({ type, status }) => [type, status])).toEqual([
    ["Ready", "Unknown"],
    ["Backup", "True"],
  ]);
  expect(removeCondition(again, "Ready").map(({ type }) => type)).toEqual(["Backup"]);
});

test("an object without conditions may have null in their place, as a new CRD does", () => {
  expect(isConditionTrue(null, "Ready")).toBe(false);
  expect(removeCondition(null, "Ready")).toEqual([]);
  const ready = { type: "Ready", status: "True", reason: "Ok" } as const;
  expect(setCondition(null, ready, { now: () => 0 })).toMatchObject([ready]);
});
