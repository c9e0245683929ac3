import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { listenToOperator } from "./listen-to-operator.ts";
import { RecordFile } from "./record-file.ts";

const one = { controller: "mysql", request: "default/db", reconcileID: "1" };
const start = { ...one, channel: "tsbuilder:reconcile:start", at: 0 };
const end = { ...one, channel: "tsbuilder:reconcile:end", at: 0, outcome: "done", seconds: 1 };

let folder: string;
let record: RecordFile;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "listen "));
  record = new RecordFile(folder);
  record.clear();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const fail = (error: unknown): void => {
  throw error;
};

test("reconciles are recorded, also those that the end of the process cut off", () => {
  const listener = listenToOperator(record, fail);
  listener.message({ tsbuilder: [start, end] });
  listener.message({ tsbuilder: [{ ...start, reconcileID: "2" }] });
  listener.end();
  expect(record.read()).toMatchObject([{ outcome: "done" }, { outcome: "unfinished" }]);
});

test.each([null, [null], [1], "ready", { tsbuilder: null }, { channel: "tsbuilder:reconcile:start" }])(
  "what the operator's own code sends is left alone: %j",
  (message) => {
    const listener = listenToOperator(record, fail);
    listener.message(message);
    listener.end();
    expect(record.read()).toEqual([]);
  },
);

test("a record that can't be written is given up, and the session goes on", () => {
  const failures: unknown[] = [];
  const listener = listenToOperator(record, (error) => failures.push(error));
  rmSync(folder, { recursive: true });
  listener.message({ tsbuilder: [start, end] });
  listener.message({ tsbuilder: [start, end] });
  listener.end();
  expect(failures).toMatchObject([{ code: "ENOENT" }]);
});
