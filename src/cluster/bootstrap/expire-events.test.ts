import { afterEach, beforeEach, expect, test } from "vitest";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { Store } from "../storage/store.ts";
import { expireEvents } from "./expire.ts";

const minute = 60_000;
const clock = new FakeClock();
let store: Store;
let stop: () => void;
beforeEach(() => {
  store = new Store();
  stop = expireEvents(store, clock);
});
afterEach(() => stop());

const events = () => store.collection("events");
const put = (name: string) =>
  store.put(events(), `default/${name}`, { apiVersion: "v1", kind: "Event", metadata: { name } });
const names = () =>
  events()
    .list()
    .map(({ object }) => object.metadata.name);

test("events are deleted an hour after their last write, and watchers are notified", () => {
  const seen: string[] = [];
  events().listen(({ type, entry }) => void seen.push(`${type} ${entry.key}`));
  put("old");
  clock.advanceSync(30 * minute);
  put("new");
  put("again");
  clock.advanceSync(29 * minute);
  put("again");
  clock.advanceSync(minute);
  expect(names()).toEqual(["again", "new"]);
  clock.advanceSync(30 * minute);
  expect(names()).toEqual(["again"]);
  clock.advanceSync(29 * minute);
  expect(names()).toEqual([]);
  expect(seen.filter((line) => line.startsWith("DELETED"))).toEqual([
    "DELETED default/old",
    "DELETED default/new",
    "DELETED default/again",
  ]);
});

test("an event that was deleted and recreated has a new hour", () => {
  const entry = put("a");
  clock.advanceSync(50 * minute);
  store.remove(events(), entry);
  put("a");
  clock.advanceSync(20 * minute);
  expect(names()).toEqual(["a"]);
});

test("other objects don't expire, and nothing expires once the cluster has stopped", () => {
  const pods = store.collection("pods");
  store.put(pods, "default/p", { apiVersion: "v1", kind: "Pod", metadata: { name: "p" } });
  put("a");
  stop();
  clock.advanceSync(120 * minute);
  expect(names()).toEqual(["a"]);
  expect(pods.size).toBe(1);
});
