import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Findings } from "./findings/findings.ts";
import { readRecording } from "./read-recording.ts";
import { RecentRecord } from "./recent-record.ts";
import { SessionRecording } from "./session-recording.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tsbuilder-recording-"));
  path = join(folder, "session.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const by = { user: "ann", userAgent: "kubectl/v1.36" };
const metadata = { name: "db", namespace: "default", uid: "1" };

function record(maxBytes?: number, ended: unknown[] = [], recent?: RecentRecord): SessionRecording {
  const recording = new SessionRecording(path, {
    project: "shop",
    tsbuilder: "0.2.0",
    describe: (error) => `error: ${(error as Error).message}`,
    onEnd: (reason) => ended.push(reason),
    ...(maxBytes !== undefined && { maxBytes }),
    recent,
  });
  recording.open();
  return recording;
}

function write(recording: SessionRecording, resource: string, object: object): void {
  const bytes = Buffer.from(JSON.stringify(object));
  recording.write({ type: "ADDED", resource, key: "default/db", by, bytes });
}

test("the findings of a running session are those of its file; values of a Secret are in neither", () => {
  const recent = new RecentRecord();
  const recording = record(undefined, [], recent);
  const set = (type: "ADDED" | "MODIFIED", user: string, value: string, more = {}): void => {
    const object = { kind: "Secret", metadata: { ...metadata, ...more }, data: { password: value } };
    const bytes = Buffer.from(JSON.stringify(object));
    recording.write({ type, resource: "secrets", key: "default/db", by: { user }, bytes });
  };
  const label = (value: string) => ({ labels: { tier: value } });
  set("ADDED", "ann", "aHVudGVyMg==", label("a"));
  for (let round = 0; round < 5; round++) {
    set("MODIFIED", "ben", "b3BlbnNlc2FtZQ==", label("b"));
    set("MODIFIED", "ann", "aHVudGVyMg==", label("a"));
  }
  set("MODIFIED", "ann", "", { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["shop/wait"] });
  recording.close();
  const hour = Date.now() + 3_600_000;
  const fromFile = new Findings();
  for (const one of readRecording(path).recorded) fromFile.add(one);
  const found = recent.findings.list(hour);
  expect(found).toEqual(fromFile.list(hour));
  expect(found.map(({ title }) => title)).toEqual([
    "ben and ann fight over metadata.labels.tier of Secret default/db",
    "Secret default/db can't be deleted",
  ]);
});

test("a file has the writes, the reconciles, and what was printed", () => {
  const recording = record();
  const mysql = { apiVersion: "apps.example.com/v1", kind: "MySQL", metadata, spec: { name: "größe" } };
  write(recording, "mysqls.apps.example.com", mysql);
  write(recording, "leases.coordination.k8s.io", { kind: "Lease", metadata });
  const who = { controller: "mysql", request: "default/db", reconcileID: "1" };
  const reconcile = { ...who, at: "", outcome: "done" as const, causes: [], requests: [], seconds: 1 };
  recording.event({ type: "reconcile", reconcile });
  recording.event({ type: "operator", line: "a line" });
  recording.event({ type: "error", error: new Error("no luck") });
  const action = { name: "restart", input: {}, outcome: "done" as const, seconds: 1 };
  recording.acted({ at: "", ...action });
  recording.fault({ verb: "get", resource: "pods", code: 500 });
  recording.close();

  const { session, recorded } = readRecording(path);
  expect(session).toMatchObject({ project: "shop", tsbuilder: "0.2.0" });
  expect(recorded.map((one) => ({ ...one, at: undefined }))).toEqual([
    {
      type: "write",
      write: "ADDED",
      resource: "mysqls.apps.example.com",
      key: "default/db",
      by,
      object: mysql,
    },
    { type: "reconcile", ...reconcile, at: undefined },
    { type: "operator", text: "a line" },
    { type: "dev", text: "error: no luck" },
    { type: "action", ...action },
    { type: "fault", verb: "get", resource: "pods", code: 500 },
  ]);
});

test("what Secrets hold is not recorded", () => {
  const recording = record();
  const annotations = { "kubectl.kubernetes.io/last-applied-configuration": "aHVudGVyMg==", a: "1" };
  const data = { password: "aHVudGVyMg==" };
  write(recording, "secrets", {
    apiVersion: "v1",
    kind: "Secret",
    data,
    stringData: { b: "aHVudGVyMg==" },
    metadata: {
      ...metadata,
      annotations,
    },
  });
  recording.close();
  expect(readFileSync(path, "utf8")).not.toContain("aHVudGVyMg==");
  expect(readRecording(path).recorded).toMatchObject([
    { object: { data: { password: "(not shown)" }, metadata: { annotations: { a: "1" } } } },
  ]);
});

test.skipIf(process.platform === "win32")("only its owner may read the file, also one that was there", () => {
  writeFileSync(path, "", { mode: 0o644 });
  record().close();
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("before the file is opened and after it is closed, nothing is recorded", () => {
  const options = {
    project: "shop",
    tsbuilder: "0.2.0",
    describe: String,
    onEnd: () => expect.unreachable(),
  };
  const recording = new SessionRecording(path, options);
  recording.event({ type: "info", text: "before" });
  recording.close();
  expect(existsSync(path)).toBe(false);
  recording.open();
  recording.close();
  recording.event({ type: "info", text: "after" });
  write(recording, "pods", { kind: "Pod", metadata });
  expect(readRecording(path).recorded).toEqual([]);
});

test.skipIf(!existsSync("/dev/full"))(
  "a file that can't be written is given up, and that is told once",
  () => {
    const ended: unknown[] = [];
    path = "/dev/full";
    const recording = record(1000, ended);
    for (let n = 0; n < 100; n++) recording.event({ type: "info", text: `line ${n}` });
    recording.close();
    expect(ended).toMatchObject([{ code: "ENOSPC" }]);
  },
);

test("a full file says so, keeps what it has, and the session goes on", () => {
  const ended: unknown[] = [];
  const recording = record(1000, ended);
  for (let n = 0; n < 100; n++) recording.event({ type: "info", text: `line ${n}` });
  recording.close();
  const { recorded } = readRecording(path);
  expect(recorded.length).toBeGreaterThan(5);
  expect(recorded[0]).toMatchObject({ text: "line 0" });
  expect(recorded.at(-1)).toMatchObject({ type: "full" });
  expect(ended).toEqual([new Error("it is full")]);
});
