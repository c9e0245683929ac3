import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { channel } from "node:diagnostics_channel";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@tsbuilder/apimachinery/time";
import { expect, onTestFinished, test } from "vitest";
import { createLogger } from "../log/logger.ts";
import { ConfigMap, Secret } from "../k8s/core/v1.ts";
import { receiver, type SampleMessage } from "../tracing/channels.ts";
import { FlightReader, type FlightLine } from "./flight-format.ts";
import { ObjectChanges } from "./object-changes.ts";
import { FlightRecorder, type RecorderOptions } from "./flight-recorder.ts";

const quiet = createLogger({ write() {}, level: "error" });

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "recorder-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

interface Started {
  readonly options?: RecorderOptions;
  readonly terminationLog?: string;
  /** When the process began, which names its files. */
  readonly since?: number;
}

async function startRecorder({
  options = {},
  terminationLog,
  since = 1_800_000_000_000,
}: Started = {}): Promise<FlightRecorder> {
  const recorder = new FlightRecorder({
    name: "shop",
    options: { bindAddress: "127.0.0.1:0", ...options },
    clock: { ...systemClock, now: () => since },
    log: quiet,
    memory: { heap: 1000, container: 2000 },
    terminationLog,
  });
  await recorder.start();
  onTestFinished(() => recorder.stop(AbortSignal.timeout(1000)));
  return recorder;
}

/** Returns the lines of a record without headers. */
async function read({ address }: FlightRecorder): Promise<readonly FlightLine[]> {
  const response = await fetch(`http://${address}/record`);
  expect(response.status).toBe(200);
  const lines = new FlightReader().push(new Uint8Array(await response.arrayBuffer()));
  return lines.filter((line) => line.channel !== "tsbuilder:flight");
}

const begin = (run: number): void => receiver?.began(0, run, "mysql", "default/db");

const end = (run: number, error?: Error): void =>
  receiver?.ended(
    0,
    run,
    { outcome: error ? "error" : "done", requeueAfter: undefined, error },
    100,
    undefined,
  );

const sample = (heap: number): SampleMessage => ({
  since: 0,
  controllers: [],
  cached: {},
  cachedBytes: 0,
  blocked: 0,
  blockedAgo: undefined,
  resident: 0,
  heap,
  heapKept: undefined,
});

const configMap = (name: string, data: Record<string, string>) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "default", name },
  data,
});

test("serves what it was told, in its order, with the lines of the log", async () => {
  const recorder = await startRecorder();
  const about = { namespace: "default", name: "db-0" };
  receiver?.enqueued("mysql", "default/db", { cause: "update of Pod", about }, undefined);
  receiver?.enqueued("mysql", "größe", { cause: "push to main", about: undefined }, 50);
  begin(7);
  receiver?.requested(0, 7, "POST", "/api/v1/namespaces/default/pods", "409", 10);
  receiver?.requested(0, undefined, "GET", "/version", "200", 1);
  createLogger({ encoder: "json", write() {} }).info("Working");
  receiver?.ended(
    0,
    7,
    { outcome: "error", requeueAfter: undefined, error: new Error("no luck") },
    100,
    "id-7",
  );
  const [queued, pushed, began, request, other, log, ended, ...rest] = await read(recorder);
  expect(rest).toEqual([]);
  expect([queued, pushed]).toMatchObject([
    { controller: "mysql", request: "default/db", cause: "update of Pod default/db-0", after: undefined },
    { controller: "mysql", request: "größe", cause: "push to main", after: 50 },
  ]);
  const { reconcileID } = began as { readonly reconcileID: string };
  expect(began).toMatchObject({ controller: "mysql", request: "default/db" });
  expect([request, other]).toMatchObject([
    { reconcileID, method: "POST", path: "/api/v1/namespaces/default/pods", code: "409", seconds: 0.01 },
    { reconcileID: undefined, method: "GET", path: "/version", code: "200" },
  ]);
  expect((log as { readonly text: string }).text).toContain("Working");
  expect(ended).toMatchObject({
    reconcileID,
    loggedID: "id-7",
    outcome: "error",
    error: "no luck",
    seconds: 0.1,
  });
  expect((ended as { readonly stack: string }).stack).toContain("flight-recorder.test.ts");
  expect((await fetch(`http://${recorder.address}/other`)).status).not.toBe(200);
});

test("drops the oldest beyond its bytes, and goes on", async () => {
  const recorder = await startRecorder({ options: { maxBytes: 2 ** 20 } });
  for (let run = 1; run <= 50_000; run++) begin(run);
  const lines = await read(recorder);
  // Two segments of a quarter of the bytes, of which the older one is full.
  expect(lines.length * 56).toBeGreaterThan(2 ** 18);
  expect(lines.length * 56).toBeLessThanOrEqual(2 ** 19);
  expect(lines.at(-1)).toMatchObject({
    reconcileID: expect.stringMatching(/-50000$/u),
    request: "default/db",
  });
});

test("has the states of changed objects, that before the first change too, but of no Secret", async () => {
  const recorder = await startRecorder();
  const [one, two, three] = ["1", "2", "3"].map((value) => configMap("c", { value }));
  const change = (oldObject: object, object: object, isOwnWrite: boolean) =>
    ({ type: "update", object, oldObject, isOwnWrite }) as never;
  receiver?.changed(ConfigMap, change(one!, two!, false), 100, "kubectl-edit");
  receiver?.changed(ConfigMap, change(two!, three!, true), 100, "shop");
  const secret = { ...configMap("s", { password: "hunter2" }), kind: "Secret" };
  receiver?.changed(Secret, { type: "add", object: secret, isOwnWrite: false }, 100, "kubectl-edit");
  expect(await read(recorder)).toMatchObject([
    { change: "before", resource: "configmaps", object: one, isOwnWrite: false },
    { change: "update", object: two, isOwnWrite: false, manager: "kubectl-edit" },
    { change: "update", object: three, isOwnWrite: true },
  ]);
});

test("keeps only so many states of objects as its bytes allow", async () => {
  const recorder = await startRecorder({ options: { maxBytes: 2 ** 20 } });
  for (let index = 0; index < 10_000; index++)
    receiver?.changed(
      ConfigMap,
      { type: "add", object: configMap(`c${index}`, {}), isOwnWrite: false },
      1000,
      "",
    );
  const kept = await read(recorder);
  expect(kept.length).toBeGreaterThan(50);
  expect(kept.length).toBeLessThan(200);
  expect(kept.at(-1)).toMatchObject({ object: { metadata: { name: "c9999" } } });
});

test("a follower gets what there is, and then what is new", async () => {
  const recorder = await startRecorder();
  begin(1);
  const response = await fetch(`http://${recorder.address}/record?follow`);
  const reader = new FlightReader();
  const lines: FlightLine[] = [];
  const pieces = response.body!.getReader();
  const readUntil = async (run: number): Promise<void> => {
    while (!lines.some((line) => "reconcileID" in line && line.reconcileID?.endsWith(`-${run}`)))
      lines.push(...reader.push((await pieces.read()).value!));
  };
  await readUntil(1);
  begin(2);
  await readUntil(2);
  expect(lines.map(({ channel: name }) => name)).toEqual([
    "tsbuilder:flight",
    "tsbuilder:reconcile:start",
    "tsbuilder:reconcile:start",
  ]);
  expect(lines.at(-1)).toMatchObject({ controller: "mysql", request: "default/db" });
});

test("what a process has saved is served by the next one, also if its last entry is incomplete", async () => {
  const folder = temporaryFolder();
  const first = await startRecorder({ options: { folder } });
  begin(1);
  begin(2);
  const state = configMap("c", {});
  receiver?.changed(ConfigMap, { type: "add", object: state, isOwnWrite: false }, 100, "");
  await first.stop(AbortSignal.timeout(1000));
  const [segment] = readdirSync(folder).filter((name) => name.endsWith("-0000000.flight"));
  truncateSync(join(folder, segment!), readFileSync(join(folder, segment!)).length - 12);
  const next = await startRecorder({ options: { folder }, since: 1_800_000_001_000 });
  begin(3);
  const lines = await read(next);
  expect(lines).toMatchObject([
    { reconcileID: expect.stringMatching(/1800000000000-1$/u) },
    { change: "add", object: state },
    { reconcileID: expect.stringMatching(/1800000001000-3$/u) },
  ]);
});

test("saves only so many changes of objects in each period, the newest, and the others when it stops", async () => {
  const changes = new ObjectChanges(2 ** 20);
  const add = (name: string): void =>
    changes.add({
      at: 0,
      kind: ConfigMap,
      change: { type: "update", object: configMap(name, {}), oldObject: configMap(name, {}) },
      manager: undefined,
    });
  const saved = (limit: number): string[] =>
    [...changes.save(limit)].map(({ change, object }) => `${change} ${object.metadata.name}`);
  for (const name of ["a", "b", "c"]) add(name);
  expect(saved(2)).toEqual(["before b", "update b", "before c", "update c"]);
  expect(saved(2)).toEqual([]);
  add("d");
  expect(saved(2)).toEqual(["before d", "update d"]);
  expect(saved(Infinity)).toEqual(["before a", "update a"]);
});

test("a folder does not grow without end, and changes of objects do not replace segments", async () => {
  const folder = temporaryFolder();
  for (let since = 1_800_000_000_000; since < 1_800_000_000_060; since++)
    writeFileSync(join(folder, `${since}-0000000.flight`), "");
  for (let number = 5_000_000; number < 5_000_020; number++)
    writeFileSync(join(folder, `1800000000060-${number}.flight`), Buffer.alloc(2 ** 20));
  await startRecorder({ options: { folder }, since: 1_800_000_000_100 });
  const left = readdirSync(folder).toSorted();
  const segments = left.filter((name) => name.endsWith("-0000000.flight"));
  expect(segments.length).toBe(49);
  expect(segments.at(-1)).toBe("1800000000059-0000000.flight");
  expect(left.length - segments.length).toBe(8);
  expect(left.at(-1)).toBe("1800000000060-5000019.flight");
});

test("without an address nothing is recorded", async () => {
  const recorder = await startRecorder({ options: { bindAddress: "0" } });
  expect(recorder.address).toBeUndefined();
  expect(receiver).toBeUndefined();
  expect(channel("tsbuilder:log").hasSubscribers).toBe(false);
});

test("the last words name what runs, and what ended last, within what Kubernetes keeps", async () => {
  const terminationLog = join(temporaryFolder(), "termination-log");
  const recorder = await startRecorder({ terminationLog });
  recorder.dump("there is no such file outside of a container");
  writeFileSync(terminationLog, "");
  for (let run = 1; run <= 200; run++) {
    begin(run);
    end(run, new Error(`failure ${run}`));
  }
  begin(201);
  receiver?.sampled(sample(500));
  expect(readFileSync(terminationLog, "utf8")).toBe("");
  receiver?.sampled(sample(950));
  const words = readFileSync(terminationLog, "utf8");
  expect(words).toMatch(/^\S+Z the memory is at 95 % of its limit\nrunning: mysql default\/db\n/u);
  expect(words).toContain("mysql default/db: error: failure 200");
  expect(Buffer.byteLength(words)).toBeLessThanOrEqual(4096);
  await recorder.stop(AbortSignal.timeout(1000));
  recorder.dump("the manager failed: Error: no lease");
  expect(readFileSync(terminationLog, "utf8")).toMatch(/^\S+Z the manager failed: Error: no lease\n/u);
});

test("a limit that is too small is refused", async () => {
  await expect(startRecorder({ options: { maxBytes: 0 } })).rejects.toThrow("maxBytes of the recorder is 0");
});
