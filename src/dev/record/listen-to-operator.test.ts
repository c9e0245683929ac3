import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { listenToOperator } from "./operator-messages.ts";
import type { RecordedSample } from "./recorded.ts";
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

test("samples are told as they come, and once the process has ended, all numbers are 0", () => {
  const samples: RecordedSample[] = [];
  const listener = listenToOperator(
    { append: () => undefined, sample: (sample) => samples.push(sample) },
    fail,
  );
  const controllers = [{ controller: "mysql", queued: 2, active: 1, workers: 1 }];
  const memory = { resident: 80_000_000, heap: 20_000_000 };
  const sample = { controllers, cached: { Pod: 3 }, cachedBytes: 900, blocked: 300, ...memory };
  const times = { since: 1000, at: 5000, blockedAgo: 500, ahead: 3_600_000 };
  listener.message({ tsbuilder: [{ channel: "tsbuilder:sample", ...times, ...sample }] });
  listener.end();
  const since = "1970-01-01T00:00:01.000Z";
  expect(samples).toEqual([
    {
      type: "sample",
      at: "1970-01-01T00:00:05.000Z",
      since,
      ...sample,
      blockedUntil: "1970-01-01T00:00:04.500Z",
    },
    expect.objectContaining({ type: "sample", since, controllers: [], cached: {}, resident: 0, heap: 0 }),
  ]);
});

test("a process that told no sample leaves none", () => {
  const samples: RecordedSample[] = [];
  listenToOperator({ append: () => undefined, sample: (sample) => samples.push(sample) }, fail).end();
  expect(samples).toEqual([]);
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
  const begun: unknown[] = [];
  const listener = listenToOperator(
    { append: (reconciles) => record.append(reconciles), began: (reconcile) => begun.push(reconcile) },
    (error) => failures.push(error),
  );
  rmSync(folder, { recursive: true });
  listener.message({ tsbuilder: [start, end] });
  // Its end would not be told.
  listener.message({ tsbuilder: [start, end] });
  listener.end();
  expect(failures).toMatchObject([{ code: "ENOENT" }]);
  expect(begun).toEqual([one]);
});
