import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fileRecord } from "./read-recording.ts";
import { RecentRecord } from "./recent-record.ts";
import { SessionRecording } from "./session-recording.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tsbuilder-record-"));
  path = join(folder, "session.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const never = (): void => expect.unreachable();

async function told(record: { read: typeof RecentRecord.prototype.read }): Promise<string> {
  const { past, close } = record.read(never);
  const parts: Buffer[] = [];
  for await (const part of past) parts.push(part);
  close();
  return Buffer.concat(parts).toString();
}

test("a page gets from memory what it gets from the file of the same session", async () => {
  const recent = new RecentRecord();
  const recording = new SessionRecording(path, {
    project: "shop",
    tsbuilder: "0.2.0",
    describe: String,
    onEnd: never,
    recent,
  });
  recording.open();
  const metadata = { name: "db", namespace: "default", uid: "1" };
  for (const [resource, kind] of [
    ["secrets", "Secret"],
    ["pods", "Pod"],
    ["leases.coordination.k8s.io", "Lease"],
  ] as const) {
    const bytes = Buffer.from(
      JSON.stringify({ apiVersion: "v1", kind, metadata, data: { a: "aHVudGVyMg==" } }),
    );
    recording.write({ type: "ADDED", resource, key: "default/db", by: undefined, bytes });
  }
  for (let count = 0; count < 3000; count++)
    recording.event({ type: "operator", line: `${count} größe ${"x".repeat(200)}` });
  recording.close();
  const file = await told(fileRecord(path));
  expect(file.split("\n")).toHaveLength(3004);
  expect(file).toBe(await told(recent));
});

test("without a path, there is no file", async () => {
  const recent = new RecentRecord();
  const options = { project: "shop", tsbuilder: "0.2.0", describe: String, onEnd: never, recent };
  const recording = new SessionRecording(undefined, options);
  recording.event({ type: "info", text: "before" });
  recording.open();
  recording.event({ type: "info", text: "now" });
  recording.close();
  recording.event({ type: "info", text: "after" });
  const lines = (await told(recent)).trim().split("\n");
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { type: "session" },
    { text: "now" },
  ]);
});

test("a line that is not written to its end is left out, and told once it is", async () => {
  const session = JSON.stringify({ type: "session", format: 1, at: "", project: "shop", tsbuilder: "" });
  writeFileSync(path, `${session}\n{"type":"dev",`);
  const record = fileRecord(path);
  expect(await told(record)).toBe(`${session}\n`);
  appendFileSync(path, '"at":"","text":"a"}\n');
  expect(await told(record)).toBe(`${session}\n{"type":"dev","at":"","text":"a"}\n`);
});

test("a file that is no record is refused", () => {
  writeFileSync(path, "{}\n");
  expect(() => fileRecord(path)).toThrow("is not a record of tsbuilder dev");
});
