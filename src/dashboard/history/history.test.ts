import { expect, test } from "vitest";
import type { RecordedWrite } from "../../dev/record/recorded.ts";
import { History, revisionAt } from "./history.ts";
import { madeReconcile } from "../../dev/record/testdata/made-records.ts";

const time = (seconds: number) => new Date(seconds * 1000).toISOString();

function write(seconds: number, type: RecordedWrite["write"], name: string): RecordedWrite {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "default", name } };
  return {
    type: "write",
    at: time(seconds),
    write: type,
    resource: "configmaps",
    key: `default/${name}`,
    by: undefined,
    object,
  };
}

function historyOf(...writes: RecordedWrite[]): History {
  const history = new History();
  for (const one of writes) history.add(one);
  return history;
}

test("an object is at each moment as the last write before left it", () => {
  const history = historyOf(
    write(1, "KEPT", "a"),
    write(3, "MODIFIED", "a"),
    write(5, "DELETED", "a"),
    write(7, "ADDED", "a"),
  );
  const track = history.tracks.get("configmaps default/a")!;
  const seen = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((seconds) => revisionAt(track, seconds * 1000)?.index);
  expect(seen).toEqual([undefined, 0, 0, 1, 1, undefined, undefined, 3, 3]);
});

test("the time of a session begins with its first write, and moves from write to write", () => {
  const history = historyOf(
    write(1, "KEPT", "a"),
    write(3, "ADDED", "b"),
    write(3, "ADDED", "c"),
    write(6, "DELETED", "b"),
  );
  expect([history.from, history.to]).toEqual([3000, 6000]);
  expect(history.nextMoment(3000, 1)).toBe(6000);
  expect(history.nextMoment(6000, 1)).toBeUndefined();
  expect(history.nextMoment(6000, -1)).toBe(3000);
  expect(history.nextMoment(3000, -1)).toBeUndefined();
});

test("a session ends at a whole millisecond, which a slider can reach", () => {
  const history = historyOf(write(1, "ADDED", "a"));
  history.add(madeReconcile(2000, { seconds: 0.0012 }));
  expect(history.to).toBe(2002);
});

test("objects are found by kind and key, as causes name them", () => {
  const history = historyOf(write(1, "ADDED", "a"));
  expect(history.placesOf("ConfigMap", "default/a")).toEqual(["configmaps default/a"]);
  expect(history.placesOf("Secret", "default/a")).toEqual([]);
});

test("what was done on the page stands at its time among what was printed", () => {
  const history = new History();
  history.add({ type: "operator", at: time(1), text: "a" });
  history.add({ type: "operator", at: time(3), text: "b" });
  history.add({ type: "action", at: time(2), name: "restart", input: {}, outcome: "done", seconds: 1 });
  history.add({ type: "fault", at: time(4), verb: "get", resource: "pods", code: 500 });
  expect(history.printed.map(({ by, text }) => `${by} ${text}`)).toEqual([
    "operator a",
    "page restarted the operator",
    "operator b",
    "page had the operator's request to get pods fail with 500",
  ]);
  expect(history.actions.map(({ at }) => at)).toEqual([2000, 4000]);
});
