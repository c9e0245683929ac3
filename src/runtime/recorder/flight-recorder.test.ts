import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { channel } from "node:diagnostics_channel";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@tsbuilder/apimachinery/time";
import { expect, onTestFinished, test } from "vitest";
import { createLogger } from "../log/logger.ts";
import { publish } from "../tracing/channels.ts";
import { FlightRecorder, type RecorderOptions } from "./flight-recorder.ts";

const quiet = createLogger({ write() {}, level: "error" });

async function startRecorder(
  options: RecorderOptions = {},
  terminationLog?: string,
): Promise<FlightRecorder> {
  const recorder = new FlightRecorder({
    name: "shop",
    options: { bindAddress: "127.0.0.1:0", ...options },
    clock: systemClock,
    log: quiet,
    memory: { heap: 1000, container: 2000 },
    terminationLog,
  });
  await recorder.start();
  onTestFinished(() => recorder.stop(AbortSignal.timeout(1000)));
  return recorder;
}

type Line = Readonly<Record<string, unknown>>;

async function read({ address }: FlightRecorder): Promise<readonly Line[]> {
  const response = await fetch(`http://${address}/record`);
  expect(response.status).toBe(200);
  return (await response.text())
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
}

const begin = (reconcileID: string): void =>
  publish("tsbuilder:reconcile:start", () => ({ controller: "mysql", request: "default/db", reconcileID }));

const end = (reconcileID: string, error?: string): void =>
  publish("tsbuilder:reconcile:end", () => ({
    controller: "mysql",
    request: "default/db",
    reconcileID,
    outcome: error === undefined ? "done" : "error",
    requeueAfter: undefined,
    error,
    stack: undefined,
    seconds: 0.1,
  }));

function sample(heap: number): void {
  publish("tsbuilder:sample", () => ({
    since: 0,
    controllers: [],
    cached: {},
    cachedBytes: 0,
    blocked: 0,
    blockedAgo: undefined,
    resident: 0,
    heap,
    heapKept: undefined,
  }));
}

test("serves messages and lines of the log in their order, without bodies of requests", async () => {
  const recorder = await startRecorder();
  begin("1");
  const path = "/api/v1/namespaces/default/secrets";
  publish("tsbuilder:request", () => ({
    reconcileID: "1",
    method: "POST",
    path,
    code: "409",
    seconds: 0.01,
    body: "hunter2",
  }));
  createLogger({ encoder: "json", write() {} }).info("Working");
  end("1");
  const [header, ...lines] = await read(recorder);
  expect(header).toMatchObject({ type: "flight", format: 1, name: "shop", dropped: 0 });
  expect(lines.map((line) => line["channel"])).toEqual([
    "tsbuilder:reconcile:start",
    "tsbuilder:request",
    "tsbuilder:log",
    "tsbuilder:reconcile:end",
  ]);
  expect(lines[2]!["text"]).toContain("Working");
  expect(JSON.stringify(lines)).not.toContain("hunter2");
  expect((await fetch(`http://${recorder.address}/other`)).status).not.toBe(200);
});

test("drops the oldest beyond its bytes, and says how many", async () => {
  const recorder = await startRecorder({ maxBytes: 100_000 });
  for (let index = 0; index < 20_000; index++) begin(`${index}`);
  const [header, ...lines] = await read(recorder);
  const bytes = Buffer.byteLength(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  expect(bytes).toBeGreaterThan(40_000);
  expect(bytes).toBeLessThanOrEqual(100_000);
  expect(header!["dropped"]).toBe(20_000 - lines.length);
  expect(lines.at(-1)).toMatchObject({ reconcileID: "19999" });
});

test("without an address nothing is listened to", async () => {
  const recorder = await startRecorder({ bindAddress: "0" });
  expect(recorder.address).toBeUndefined();
  expect(channel("tsbuilder:reconcile:start").hasSubscribers).toBe(false);
});

test("the last words name what runs, and what ended last, within what Kubernetes keeps", async () => {
  const folder = mkdtempSync(join(tmpdir(), "recorder-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "termination-log");
  const recorder = await startRecorder({}, file);
  recorder.writeLastWords("there is no such file outside of a container");
  writeFileSync(file, "");
  for (let index = 0; index < 200; index++) {
    begin(`${index}`);
    end(`${index}`, `failure ${index}`);
  }
  begin("last");
  sample(500);
  expect(readFileSync(file, "utf8")).toBe("");
  sample(950);
  const words = readFileSync(file, "utf8");
  expect(words).toMatch(/^\S+Z the memory is at 95 % of its limit\nrunning: mysql default\/db\n/u);
  expect(words).toContain("mysql default/db: error: failure 199");
  expect(Buffer.byteLength(words)).toBeLessThanOrEqual(4096);
  await recorder.stop(AbortSignal.timeout(1000));
  recorder.writeLastWords("the manager failed: Error: no lease");
  expect(readFileSync(file, "utf8")).toMatch(/^\S+Z the manager failed: Error: no lease\n/u);
});

test("a limit that is not positive is refused", async () => {
  await expect(startRecorder({ maxBytes: 0 })).rejects.toThrow("maxBytes of the recorder is 0");
});
