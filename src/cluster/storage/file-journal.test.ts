import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
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
  second.store.put(second.maps, "c", config("c", "1"));
  expect(second.store.revision).toBe(revision + 1);
  second.journal.close();
});

test("FileJournal skips an incomplete line after a crash", () => {
  const first = open();
  first.store.put(first.maps, "a", config("a", "1"));
  first.journal.close();
  appendFileSync(join(folder, "log.jsonl"), '0badcafe {"c":"configmaps","k":"b","r":9,"o":{"api');

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

const log = () => join(folder, "log.jsonl");

/** Writes a revision of each of some objects, and closes the journal. */
function write(names: readonly string[], options?: FileJournalOptions): number {
  const { journal, store, maps } = open(options);
  for (const name of names) store.put(maps, name, config(name, "1"));
  journal.close();
  return store.revision;
}

test("FileJournal restores recent changes, so that watchers can resume", () => {
  const first = open();
  first.store.put(first.maps, "a", config("a", "1"));
  const { revision } = first.store;
  first.store.put(first.maps, "a", config("a", "2"));
  const gone = first.store.put(first.maps, "b", config("b", "1"));
  first.store.remove(first.maps, gone);
  first.journal.close();

  const second = open();
  const shown = (maps: typeof second.maps, from: number) =>
    maps.changesSince(from)!.map(({ type, entry, previous }) => [type, entry.object, previous?.revision]);
  expect(shown(second.maps, revision)).toEqual(shown(first.maps, revision));
  expect(second.maps.listAt(revision)!.map(({ object }) => object["data"])).toEqual([{ value: "1" }]);
  second.journal.close();
});

test("FileJournal keeps recent changes in its snapshots", async () => {
  const first = open({ limit: 4000 });
  for (let index = 0; index < 50; index++) first.store.put(first.maps, "a", config("a", String(index)));
  const gone = first.store.put(first.maps, "b", config("b", "1"));
  first.store.remove(first.maps, gone);
  const { revision } = first.store;
  await new Promise((resolve) => setImmediate(resolve));
  first.journal.close();
  expect(statSync(log()).size).toBe(0);

  const second = open({ limit: 4000 });
  expect(second.store.revision).toBe(revision);
  const types = second.maps.changesSince(revision - 3)!.map(({ type }) => type);
  expect(types).toEqual(["MODIFIED", "ADDED", "DELETED"]);
  expect(second.maps.changesSince(2)).toBeUndefined();
  second.journal.close();
});

test("FileJournal ignores a log that a crash left beside the snapshot of its writes", async () => {
  const first = open({ limit: 2000 });
  for (let index = 0; index < 40; index++) first.store.put(first.maps, `a-${index % 3}`, config("a", "1"));
  copyFileSync(log(), `${log()}.copy`);
  const changes = first.maps.changesSince(first.store.revision - 2)!;
  await new Promise((resolve) => setImmediate(resolve));
  first.journal.close();
  copyFileSync(`${log()}.copy`, log());

  const second = open();
  expect(second.store.revision).toBe(first.store.revision);
  expect(second.maps.list().map(({ revision }) => revision)).toEqual(
    first.maps.list().map(({ revision }) => revision),
  );
  const restored = second.maps.changesSince(second.store.revision - 2)!;
  expect(restored.map(({ revision }) => revision)).toEqual(changes.map(({ revision }) => revision));
  second.journal.close();
});

test.each([
  [
    "a changed byte",
    (text: string) => text.replace('"value":"1"', '"value":"7"'),
    1,
    "its checksum does not match",
  ],
  [
    "a line of something else",
    (text: string) => text.replace("\n", "\n{nonsense\n"),
    2,
    "its checksum does not match",
  ],
  [
    "a missing line",
    (text: string) => text.split("\n").toSpliced(1, 1).join("\n"),
    2,
    "it is revision 4, and revision 3 is missing",
  ],
])("FileJournal names the line of %s in its log, and how to go on", (_, damage, line, why) => {
  write(["a", "b", "c"]);
  writeFileSync(log(), damage(readFileSync(log(), "utf8")));
  const before = readFileSync(log());
  expect(() => open()).toThrow(`line ${line} of "${log()}" is damaged: ${why}`);
  expect(readFileSync(log())).toEqual(before);
  const hint = line === 1 ? "start with an empty one" : `head -n ${line - 1} log.jsonl > log.jsonl.good`;
  expect(() => open()).toThrow(
    expect.objectContaining({ code: "EDAMAGED", hint: expect.stringContaining(hint) }),
  );
});

test("FileJournal starts again after the damaged line and those after it were dropped, as its hint says", () => {
  write(["a", "b", "c"]);
  const lines = readFileSync(log(), "utf8").split("\n");
  writeFileSync(log(), `${lines.slice(0, 2).join("\n")}\n`);
  const { maps, journal } = open();
  expect(maps.list().map(({ key }) => key)).toEqual(["a", "b"]);
  journal.close();
});

test.each([
  [
    "a changed byte",
    (text: string) => text.replace('"value":"1"', '"value":"7"'),
    "its checksum does not match",
  ],
  [
    "a missing end",
    (text: string) => text.slice(0, text.lastIndexOf("\n", text.length - 2) + 1),
    "records follow",
  ],
  ["half a line", (text: string) => text.slice(0, -5), "it is incomplete"],
])("FileJournal refuses a snapshot with %s", async (_, damage, why) => {
  const { journal, store, maps } = open({ limit: 500 });
  for (const name of ["a", "b", "c", "d", "e", "f"]) store.put(maps, name, config(name, "1"));
  await new Promise((resolve) => setImmediate(resolve));
  journal.close();
  const path = join(folder, "snapshot.jsonl");
  writeFileSync(path, damage(readFileSync(path, "utf8")));
  expect(() => open()).toThrow(why);
  expect(() => open()).toThrow(`of "${path}" is damaged`);
});

test("FileJournal writes no snapshot after it was closed", async () => {
  const { journal, store, maps } = open({ limit: 100 });
  store.put(maps, "a", config("a", "1"));
  journal.close();
  await new Promise((resolve) => setImmediate(resolve));
  expect(readdirSync(folder)).toEqual(["log.jsonl"]);
});
