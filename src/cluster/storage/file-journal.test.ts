import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FileJournal, type FileJournalOptions } from "./file-journal.ts";
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

function open(options?: FileJournalOptions) {
  const journal = new FileJournal(folder, options);
  const store = new Store({ journal });
  journal.restore(store);
  return { journal, store, maps: store.collection("configmaps") };
}

test("FileJournal restores what was written, and the revision continues", () => {
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

test("FileJournal skips an incomplete line after a crash", () => {
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

test("FileJournal replaces a long log with a snapshot", async () => {
  const first = open({ limit: 2000 });
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

test("FileJournal writes a line completely or not at all when the disk is full", () => {
  let room = Number.POSITIVE_INFINITY;
  const write = (file: number, bytes: Buffer, offset: number): number => {
    if (room === 0) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    const written = writeSync(file, bytes, offset, Math.min(room, bytes.length - offset));
    room -= written;
    return written;
  };
  const first = open({ write });
  first.store.put(first.maps, "a", config("a", "1"));
  const { revision } = first.store;
  const before = readFileSync(join(folder, "log.jsonl"));

  room = 20;
  expect(() => first.store.put(first.maps, "b", config("b", "1"))).toThrow("no space left");
  expect(readFileSync(join(folder, "log.jsonl"))).toEqual(before);
  expect([first.store.revision, first.maps.size]).toEqual([revision, 1]);

  room = Number.POSITIVE_INFINITY;
  first.store.put(first.maps, "c", config("c", "1"));
  first.journal.close();
  const second = open();
  expect(second.maps.list().map(({ key }) => key)).toEqual(["a", "c"]);
  second.journal.close();
});

test("FileJournal writes the rest of a line after a short write", () => {
  const write = (file: number, bytes: Buffer, offset: number): number =>
    writeSync(file, bytes, offset, Math.min(7, bytes.length - offset));
  const first = open({ write });
  first.store.put(first.maps, "a", config("a", "ä €"));
  first.journal.close();
  const second = open();
  expect(second.maps.get("a")?.object["data"]).toEqual({ value: "ä €" });
  second.journal.close();
});

test("FileJournal keeps its log when there is no room for a snapshot, and tries again later", async () => {
  const first = open({ limit: 2000 });
  const fill = async (name: string): Promise<void> => {
    for (let index = 0; index < 20; index++) first.store.put(first.maps, name, config(name, String(index)));
    await new Promise((resolve) => setImmediate(resolve));
  };
  mkdirSync(join(folder, "snapshot.new.jsonl"));
  await fill("a");
  expect(readdirSync(folder)).toEqual(["log.jsonl"]);
  await fill("b");
  expect(readdirSync(folder).sort()).toEqual(["log.jsonl", "snapshot.jsonl"]);
  first.journal.close();
  const second = open();
  expect(second.maps.list().map(({ object }) => object["data"])).toEqual([{ value: "19" }, { value: "19" }]);
});
