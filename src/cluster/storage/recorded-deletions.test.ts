import { mkdtempSync, readdirSync, rmSync } from "node:fs";
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

function open() {
  const journal = new FileJournal(folder, { limit: 4000 });
  const store = new Store({ journal });
  journal.restore(store);
  return { journal, store, maps: store.collection("configmaps") };
}

const config = (name: string, value: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data: { value },
});

test.each([
  { source: "log", writes: 1, files: ["log.jsonl"] },
  { source: "snapshot", writes: 50, files: ["log.jsonl", "snapshot.jsonl"] },
])("a deletion that is restored from the $source has the last state of its object", async (given) => {
  const first = open();
  for (let index = 0; index < given.writes; index++)
    first.store.put(first.maps, "a", config("a", `${index}`));
  const gone = first.store.put(first.maps, "b", config("b", "stored"));
  const last = { ...gone.object, data: { value: "last" } };
  const { revision } = first.store.remove(first.maps, gone, last);
  await new Promise((resolve) => setImmediate(resolve));
  first.journal.close();
  expect(readdirSync(folder).sort()).toEqual(given.files);

  const { maps, journal } = open();
  const [deletion] = maps.changesSince(revision - 1)!;
  expect(deletion).toMatchObject({ type: "DELETED", revision, previous: { object: gone.object } });
  expect(deletion!.entry.object).toEqual({
    ...last,
    metadata: { ...last.metadata, resourceVersion: String(revision) },
  });
  expect(maps.get("b")).toBeUndefined();
  journal.close();
});
