import { appendFileSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FileJournal } from "./file-journal.ts";
import { Store } from "./store.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "journal-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const config = (name: string, value: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data: { value },
});

function open(limit?: number) {
  const journal = new FileJournal(folder, limit);
  const store = new Store({ journal });
  journal.restore(store);
  return { journal, store, maps: store.collection("configmaps") };
}

test("FileJournal brings back what was written, and the revision goes on", () => {
  const first = open();
  first.store.put(first.maps, "a", config("a", "1"));
  first.store.put(first.maps, "a", config("a", "2"));
  const gone = first.store.put(first.maps, "b", config("b", "1"));
  first.store.remove(first.maps, gone);
  const { revision } = first.store;
  first.journal.close();

  const second = open();
  expect(second.store.revision).toBe(revision);
  expect(second.maps.list().map(({ object }) => object["data"])).toEqual([{ value: "2" }]);
  expect(second.maps.changesSince(revision - 1)).toBeUndefined();
  second.store.put(second.maps, "c", config("c", "1"));
  expect(second.store.revision).toBe(revision + 1);
  second.journal.close();
});

test("FileJournal passes over a line that a crash has torn", () => {
  const first = open();
  first.store.put(first.maps, "a", config("a", "1"));
  first.journal.close();
  appendFileSync(join(folder, "log.jsonl"), '{"c":"configmaps","k":"b","r":9,"o":{"api');

  const second = open();
  expect(second.maps.size).toBe(1);
  second.store.put(second.maps, "c", config("c", "1"));
  second.journal.close();
  expect(
    open()
      .maps.list()
      .map(({ key }) => key),
  ).toEqual(["a", "c"]);
});

test("FileJournal shortens its log by a snapshot", async () => {
  const first = open(2000);
  for (let index = 0; index < 100; index++) first.store.put(first.maps, "a", config("a", String(index)));
  await new Promise((resolve) => setImmediate(resolve));
  first.store.put(first.maps, "b", config("b", "1"));
  const { revision } = first.store;
  first.journal.close();
  expect(readdirSync(folder).sort()).toEqual(["log.jsonl", "snapshot.jsonl"]);
  expect(statSync(join(folder, "log.jsonl")).size).toBeLessThan(2000);
  const second = open();
  expect(second.store.revision).toBe(revision);
  expect(second.maps.get("a")?.object["data"]).toEqual({ value: "99" });
});
