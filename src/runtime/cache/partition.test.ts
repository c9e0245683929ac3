import { FakeClock } from "@tsbuilder/apimachinery/time";
import { expect, test } from "vitest";
import { configMap, fill, startPartition } from "../../../e2e/support/runtime/partition-under-test.ts";
import type { InformerEvent } from "./cache.ts";

const summary = (events: InformerEvent[]): string[] =>
  events.map(
    (event) => `${event.type} ${event.object.metadata.name}@${event.object.metadata.resourceVersion}`,
  );

test("Partition forgets a write that the watch doesn't tell within half a minute", () => {
  const clock = new FakeClock();
  const { partition: target, told, read } = startPartition(undefined, clock);
  fill(target, 5, configMap("a", 1));
  target.wroteDeletion({ namespace: "default", name: "a" }, "uid-a");
  clock.advanceSync(29_999);
  target.progress("6");
  expect(read("a")).toBeUndefined();
  clock.advanceSync(1);
  target.progress("7");
  expect(read("a")).toBe("1");
  expect(summary(told)).toEqual(["add a@1", "update a@1"]);
  expect(told[1]).toMatchObject({ isResync: true });
});

test("Partition tells a list, changes, and what a later list lacks", () => {
  const { partition: target, told } = startPartition();
  fill(target, 5, configMap("a", 1), configMap("b", 2));
  target.change("MODIFIED", configMap("a", 6), 10);
  target.change("DELETED", configMap("b", 7), 10);
  target.change("ADDED", configMap("c", 8), 10);
  fill(target, 9, configMap("a", 6), configMap("d", 9));
  expect(summary(told)).toEqual([
    "add a@1",
    "add b@2",
    "update a@6",
    "delete b@7",
    "add c@8",
    "add d@9",
    "delete c@8",
  ]);
  expect(told[0]).toMatchObject({ isInInitialList: true });
  expect(told[2]).toMatchObject({ oldObject: configMap("a", 1) });
  expect(told[3]).toMatchObject({ isStateUnknown: false });
  expect(told[5]).toMatchObject({ isInInitialList: false });
  expect(told[6]).toMatchObject({ isStateUnknown: true });
  expect(target.relists).toBe(1);
});

test("Partition tells an object that was made again under its name as two objects", () => {
  const { partition: target, told } = startPartition();
  fill(target, 5, configMap("a", 1, "first"));
  fill(target, 9, configMap("a", 8, "second"));
  expect(summary(told)).toEqual(["add a@1", "delete a@1", "add a@8"]);
});

test("Partition doesn't repeat what subscribers know", () => {
  const { partition: target, told } = startPartition();
  fill(target, 5, configMap("a", 1));
  target.change("ADDED", configMap("a", 1), 10);
  fill(target, 6, configMap("a", 1));
  expect(summary(told)).toEqual(["add a@1"]);
});

test("Partition prepares each version once, also if a write, the watch and a list bring it", () => {
  const { partition: target, prepared } = startPartition();
  fill(target, 5, configMap("a", 1));
  target.wrote(configMap("a", 7));
  target.change("MODIFIED", configMap("a", 7), 10);
  fill(target, 8, configMap("a", 7), configMap("b", 8));
  // Another object of the same name and version, as after a restore from a backup.
  fill(target, 8, configMap("a", 7, "another"));
  expect(prepared).toEqual(["a@1", "a@7", "b@8", "a@7"]);
});

test("Partition shows a write at once and tells it when the watch does", () => {
  const { partition: target, told, read } = startPartition();
  fill(target, 5, configMap("a", 1));
  target.wrote(configMap("a", 8));
  expect(read("a")).toBe("8");
  target.change("MODIFIED", configMap("a", 7), 10);
  expect(read("a")).toBe("8");
  target.change("MODIFIED", configMap("a", 8), 10);
  target.change("MODIFIED", configMap("a", 9), 10);
  expect(read("a")).toBe("9");
  expect(told.map((event) => event.type !== "delete" && event.isOwnWrite)).toEqual([
    false,
    false,
    true,
    false,
  ]);
  expect(summary(told)).toEqual(["add a@1", "update a@7", "update a@8", "update a@9"]);
});

test("Partition shows a deletion at once, and an object that follows under the same name", () => {
  const { partition: target, told, read } = startPartition();
  fill(target, 5, configMap("a", 1));
  target.wroteDeletion({ namespace: "default", name: "a" }, "uid-a");
  expect(read("a")).toBeUndefined();
  target.change("MODIFIED", configMap("a", 6), 10);
  expect(read("a")).toBeUndefined();
  target.wrote(configMap("a", 8, "second"));
  expect(read("a")).toBe("8");
  target.change("DELETED", configMap("a", 7), 10);
  expect(read("a")).toBe("8");
  target.change("ADDED", configMap("a", 8, "second"), 10);
  expect(summary(told)).toEqual(["add a@1", "update a@6", "delete a@7", "add a@8"]);
});

test("Partition doesn't let a write come back that the watch told and went past", () => {
  const { partition: target, read } = startPartition();
  fill(target, 5);
  target.change("ADDED", configMap("a", 6), 10);
  target.change("DELETED", configMap("a", 7), 10);
  target.wrote(configMap("a", 6));
  expect(read("a")).toBeUndefined();
});

test("Partition drops a written object that its watch doesn't deliver", () => {
  const { partition: target, told, read } = startPartition();
  fill(target, 5, configMap("a", 1));
  target.wrote(configMap("b", 8));
  target.wrote(configMap("a", 9));
  target.progress("10");
  expect([read("a"), read("b")]).toEqual(["1", undefined]);
  expect(summary(told)).toEqual(["add a@1", "add b@8", "delete b@8", "update a@1"]);
});

test("Partition tells an object that reads showed, and that was gone before the watch delivered it", () => {
  const { partition: target, told, read } = startPartition();
  fill(target, 5);
  target.wrote(configMap("a", 8));
  expect(read("a")).toBe("8");
  fill(target, 10);
  expect(read("a")).toBeUndefined();
  expect(summary(told)).toEqual(["add a@8", "delete a@8"]);
  expect(told).toMatchObject([{ isOwnWrite: true }, { isStateUnknown: true }]);
});

test("Partition tells an object that this process created and deleted before the watch delivered either", () => {
  const { partition: target, told } = startPartition();
  fill(target, 5);
  target.wrote(configMap("a", 8));
  target.wroteDeletion({ namespace: "default", name: "a" }, "uid-a");
  fill(target, 7);
  expect(summary(told)).toEqual([]);
  fill(target, 10);
  expect(summary(told)).toEqual(["add a@8", "delete a@8"]);
});

test("Partition tells each object that this process made under a name, whatever became of them meanwhile", () => {
  const { partition: target, told } = startPartition();
  const key = { namespace: "default", name: "a" };
  fill(target, 5, configMap("a", 1, "first"));
  target.wroteDeletion(key, "first");
  target.wrote(configMap("a", 8, "second"));
  target.wroteDeletion(key, "second");
  target.wrote(configMap("a", 10, "third"));
  fill(target, 11, configMap("a", 10, "third"));
  expect(told.map(({ type, object }) => `${type} ${object.metadata.uid}`)).toEqual([
    "add first",
    "delete first",
    "add second",
    "delete second",
    "add third",
  ]);
});

test("Partition tells an object that was taken out of the selection before the watch delivered it", () => {
  const { partition: target, told } = startPartition(({ metadata }) => metadata.labels?.in !== "no");
  fill(target, 5);
  target.wrote(configMap("a", 8));
  const out = configMap("a", 9);
  out.metadata.labels = { in: "no" };
  target.wrote(out);
  fill(target, 12);
  expect(summary(told)).toEqual(["add a@8", "delete a@8"]);
});

test("Partition keeps showing a write for as long as its watch is late", () => {
  const clock = new FakeClock();
  const { partition: target, told, read } = startPartition(undefined, clock);
  fill(target, 5);
  target.wrote(configMap("a", 8));
  clock.advanceSync(120_000);
  target.change("ADDED", configMap("a", 6), 10);
  expect(read("a")).toBe("8");
  target.change("MODIFIED", configMap("a", 8), 10);
  expect(summary(told)).toEqual(["add a@6", "update a@8"]);
});

test("Partition shows nothing again that this process deleted under the name of an older object", () => {
  const { partition: target, told, read } = startPartition();
  fill(target, 5, configMap("a", 1, "first"));
  target.wrote(configMap("a", 8, "second"));
  target.wroteDeletion({ namespace: "default", name: "a" }, "second");
  target.change("DELETED", configMap("a", 7, "first"), 10);
  target.change("ADDED", configMap("a", 8, "second"), 10);
  expect(read("a")).toBeUndefined();
  target.change("DELETED", configMap("a", 9, "second"), 10);
  expect(summary(told)).toEqual(["add a@1", "delete a@7", "add a@8", "delete a@9"]);
});

test("Partition forgets pending writes to what it ceases to cover, and tells only of what subscribers know", () => {
  let isCovered = true;
  const { partition: target, told, read } = startPartition(() => isCovered);
  fill(target, 5, configMap("s", 1));
  target.wrote(configMap("a", 8));
  target.wrote(configMap("s", 9));
  isCovered = false;
  target.narrow();
  target.progress("10");
  expect([read("a"), read("s")]).toEqual([undefined, undefined]);
  expect(summary(told)).toEqual(["add s@1", "delete s@1"]);
});

test("Partition hides an object that a write took out of its selection", () => {
  const { partition: target, told, read } = startPartition(({ metadata }) => metadata.labels?.in !== "no");
  fill(target, 5, configMap("a", 1));
  const out = configMap("a", 8);
  out.metadata.labels = { in: "no" };
  target.wrote(out);
  expect(read("a")).toBeUndefined();
  target.change("DELETED", configMap("a", 8), 10);
  expect(summary(told)).toEqual(["add a@1", "delete a@8"]);
});

test("Partition keeps nothing of a list that it ceased to cover while the list was read", () => {
  let isCovered = true;
  const { partition: target, told, read } = startPartition(() => isCovered);
  target.begin();
  target.keep(configMap("a", 1), 10, false);
  isCovered = false;
  target.narrow();
  target.replace("5");
  expect(read("a")).toBeUndefined();
  expect(told).toEqual([]);
});
