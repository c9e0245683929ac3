import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ApiError } from "../errors/api-error.ts";
import type { WatcherCommand, WatcherEvent, WatcherState } from "./watcher.ts";
import { newWatcher, stepWatcher } from "./watcher.ts";

/** Runs events through the watcher, a second apart, and collects what it says to do. */
function run(events: readonly WatcherEvent[], { watchList = false, seconds = 1 } = {}): WatcherCommand[][] {
  let state: WatcherState = newWatcher({ watchList });
  return events.map((event, at) => {
    const step = stepWatcher(state, event, { now: at * seconds * 1000, random: 0 });
    state = step.state;
    return [...step.commands];
  });
}

const start: WatcherEvent = { type: "start" };
const closed: WatcherEvent = { type: "closed" };
const waited: WatcherEvent = { type: "waited" };
const listed = (version: string): WatcherEvent => ({ type: "listed", version });
const failed = (code: number, reason: string, details = {}, message = reason): WatcherEvent => ({
  type: "failed",
  error: new ApiError({ code, reason, message, details }),
});
const frame = (
  type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK",
  object: KubernetesObject,
): WatcherEvent => ({
  type: "frame",
  frame: { type, object },
});
const errorFrame = (code: number, reason: string): WatcherEvent => ({
  type: "frame",
  frame: {
    type: "ERROR",
    object: { apiVersion: "v1", kind: "Status", metadata: {}, code, reason } as KubernetesObject,
  },
});
const pod = (resourceVersion: string, annotations = {}): KubernetesObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a", resourceVersion, annotations },
});
const initialEnd = frame("BOOKMARK", pod("5", { "k8s.io/initial-events-end": "true" }));
const watchFrom = (resourceVersion: string | undefined, sendInitialEvents = false): WatcherCommand => ({
  type: "watch",
  resourceVersion,
  sendInitialEvents,
  timeoutSeconds: 300,
});
const last = (steps: WatcherCommand[][]): WatcherCommand | undefined => steps.at(-1)?.at(-1);

test("an optional kind that is missing is the empty set, once, and is looked for without end", () => {
  const missing = failed(404, "NotFound");
  const events = [start, missing, waited, missing, waited, listed("7"), closed, missing];
  let state: WatcherState = newWatcher({ watchList: false });
  const steps = events.map((event) => {
    const step = stepWatcher(state, event, { now: 0, random: 0, isOptional: true });
    state = step.state;
    return step.commands.map(({ type }) => type).join(" ");
  });
  expect(steps).toEqual([
    "begin list",
    "begin replace wait",
    "begin list",
    "wait",
    "begin list",
    "replace watch",
    "report wait",
    "begin replace wait",
  ]);
});

test("stepWatcher() lists at any version in pages, then watches from the list's version", () => {
  expect(run([start, listed("7")])).toEqual([
    [{ type: "begin" }, { type: "list", resourceVersion: "0", limit: 500 }],
    [{ type: "replace", version: "7" }, watchFrom("7")],
  ]);
});

test("stepWatcher() goes on after the end of a watch without a list, from the last version it saw", () => {
  expect(last(run([start, listed("7"), frame("MODIFIED", pod("9")), closed]))).toEqual(watchFrom("9"));
});

test("stepWatcher() lets bookmarks move the version", () => {
  const steps = run([start, listed("7"), frame("BOOKMARK", pod("20")), closed]);
  expect(steps[2]).toEqual([{ type: "progress", version: "20" }]);
  expect(last(steps)).toEqual(watchFrom("20"));
});

test("stepWatcher() streams the objects that are there where the server can, and keeps the stream", () => {
  const steps = run([start, frame("ADDED", pod("3")), initialEnd, frame("MODIFIED", pod("6"))], {
    watchList: true,
  });
  expect(steps).toEqual([
    [{ type: "begin" }, watchFrom(undefined, true)],
    [{ type: "keep", object: pod("3"), isDeleted: false }],
    [{ type: "replace", version: "5" }],
    [{ type: "change", change: "MODIFIED", object: pod("6") }],
  ]);
});

test("stepWatcher() lists where the server refuses to stream or says nothing", () => {
  const list = { type: "list", resourceVersion: "0", limit: 500 };
  for (const event of [failed(422, "Invalid"), failed(400, "BadRequest"), { type: "stalled" } as const]) {
    expect(last(run([start, event], { watchList: true }))).toEqual(list);
  }
});

test("stepWatcher() lists after a stream that broke in the middle, and streams again the next time", () => {
  for (const event of [closed, errorFrame(500, "InternalError")]) {
    const steps = run(
      [start, frame("ADDED", pod("3")), event, waited, listed("8"), errorFrame(410, "Expired"), waited],
      {
        watchList: true,
      },
    );
    expect(steps[2]?.at(-1)).toEqual({ type: "wait", milliseconds: 400 });
    expect(steps[3]).toEqual([{ type: "begin" }, { type: "list", resourceVersion: "0", limit: 500 }]);
    expect(last(steps)).toEqual(watchFrom("8", true));
  }
});

test("stepWatcher() reads at the last version after a watch expired, and at the newest if that is gone too", () => {
  const steps = run([
    start,
    listed("7"),
    errorFrame(410, "Expired"),
    waited,
    failed(410, "Expired"),
    failed(410, "Expired"),
  ]);
  expect(steps[3]?.at(-1)).toEqual({ type: "list", resourceVersion: "7", limit: undefined });
  expect(steps[4]?.at(-1)).toEqual({ type: "list", resourceVersion: undefined, limit: 500 });
  expect(steps[5]?.at(-1)).toEqual({ type: "list", resourceVersion: undefined, limit: undefined });
});

test("stepWatcher() does not wait when a watch expired that was healthy for long", () => {
  const steps = run([start, listed("7"), frame("ADDED", pod("8")), errorFrame(410, "Expired")], {
    seconds: 60,
  });
  expect(last(steps)).toEqual({ type: "list", resourceVersion: "8", limit: undefined });
});

test("stepWatcher() reads at the newest version where a server lags behind the known one", () => {
  const tooLarge = failed(504, "Timeout", { causes: [{ reason: "ResourceVersionTooLarge" }] });
  const steps = run([start, listed("7"), errorFrame(410, "Expired"), waited, tooLarge]);
  expect(last(steps)).toEqual({ type: "list", resourceVersion: undefined, limit: 500 });
});

test("stepWatcher() lists at the newest version, after a delay, where the watched one is too large, as after a restore", () => {
  for (const tooLarge of [
    failed(504, "Timeout", { causes: [{ reason: "ResourceVersionTooLarge" }] }),
    failed(504, "Timeout", {}, "Too large resource version: 7, current: 3"),
  ]) {
    const steps = run([start, listed("7"), tooLarge, waited]);
    expect(steps[2]?.map(({ type }) => type)).toEqual(["report", "wait"]);
    expect(last(steps)).toEqual({ type: "list", resourceVersion: undefined, limit: 500 });
  }
});

test("stepWatcher() streams at the newest version after the known one expired", () => {
  const steps = run([start, initialEnd, errorFrame(410, "Expired"), waited, errorFrame(410, "Expired")], {
    watchList: true,
  });
  expect(steps[3]?.at(-1)).toEqual(watchFrom("5", true));
  expect(steps[4]?.at(-1)).toEqual(watchFrom(undefined, true));
});

test("stepWatcher() streams again where the server asks for patience, and lists after other failures of the stream", () => {
  const commandAfter = (failure: WatcherEvent) => last(run([start, failure, waited], { watchList: true }));
  for (const failure of [
    failed(429, "TooManyRequests"),
    failed(429, "TooManyRequests", { retryAfterSeconds: 1 }),
    failed(503, "ServiceUnavailable", { retryAfterSeconds: 1 }),
    errorFrame(429, "TooManyRequests"),
  ])
    expect(commandAfter(failure)).toMatchObject({ type: "watch", sendInitialEvents: true });
  expect(commandAfter(failed(500, "InternalError"))).toMatchObject({ type: "list" });
  expect(commandAfter(failed(403, "Forbidden"))).toMatchObject({ type: "list" });
});

test("stepWatcher() resumes the watch after lost connections, throttling, and missing rights", () => {
  for (const event of [
    failed(0, "Unreachable"),
    failed(429, "TooManyRequests"),
    failed(500, "InternalError"),
    failed(503, "ServiceUnavailable"),
    failed(401, "Unauthorized"),
    failed(403, "Forbidden"),
    errorFrame(500, "InternalError"),
    errorFrame(429, "TooManyRequests"),
  ]) {
    const steps = run([start, listed("7"), event, waited]);
    expect(steps[2]?.map(({ type }) => type)).toEqual(["report", "wait"]);
    expect(last(steps)).toEqual(watchFrom("7"));
  }
});

test("stepWatcher() begins anew after many internal errors in a row, and after frames that make no sense", () => {
  const internal = [failed(500, "InternalError"), waited];
  const patient = run([start, listed("7"), ...Array.from({ length: 6 }, () => internal).flat()]);
  expect(last(patient)).toEqual({ type: "list", resourceVersion: "7", limit: undefined });
  expect(last(run([start, listed("7"), failed(0, "Malformed"), waited]))).toMatchObject({ type: "list" });
});

test("stepWatcher() waits longer after each failure, up to half a minute, and as long as the server asks", () => {
  const steps = run([start, ...Array.from({ length: 8 }, () => [failed(0, "Unreachable"), waited]).flat()]);
  const waits = steps.flat().flatMap((command) => (command.type === "wait" ? [command.milliseconds] : []));
  expect(waits).toEqual([400, 800, 1600, 3200, 6400, 12_800, 15_000, 15_000]);
  const asked = run([start, failed(429, "TooManyRequests", { retryAfterSeconds: 9 })]);
  expect(last(asked)).toEqual({ type: "wait", milliseconds: 9000 });
});

test("stepWatcher() never stops, and never waits longer than half a minute, whatever happens", () => {
  const code = fc.constantFrom(0, 400, 401, 403, 404, 410, 422, 429, 500, 503, 504);
  const anything: fc.Arbitrary<WatcherEvent> = fc.oneof(
    fc.constant(listed("7")),
    fc.constant(closed),
    fc.constant<WatcherEvent>({ type: "stalled" }),
    fc.constant(initialEnd),
    fc.constant(frame("MODIFIED", pod("9"))),
    code.map((status) => failed(status, "Any")),
    code.map((status) => errorFrame(status, "Any")),
  );
  fc.assert(
    fc.property(fc.array(anything), fc.boolean(), (events, watchList) => {
      let state = stepWatcher(newWatcher({ watchList }), start, { now: 0, random: 1 }).state;
      for (const event of events) {
        // A real reflector only tells what can happen in the phase it is in.
        const inPhase = state.phase.name === "waiting" ? waited : event;
        const step = stepWatcher(state, inPhase, { now: 0, random: 1 });
        const lengthy = step.commands.filter(({ type }) => ["list", "watch", "wait"].includes(type));
        const goesOn = inPhase.type === "frame" && lengthy.length === 0;
        expect(goesOn || lengthy.length === 1).toBe(true);
        const waits = lengthy.map((command) => (command.type === "wait" ? command.milliseconds : 0));
        expect(Math.max(0, ...waits)).toBeLessThanOrEqual(30_000);
        ({ state } = step);
      }
    }),
  );
});

test("stepWatcher() forgets failures after two quiet minutes", () => {
  const failures = [failed(0, "Unreachable"), waited, failed(0, "Unreachable"), waited];
  const steps = run([start, ...failures, listed("7"), closed, failed(0, "Unreachable")], { seconds: 61 });
  expect(last(steps)).toEqual({ type: "wait", milliseconds: 400 });
});

test("stepWatcher() slows down watches that end at once without a word", () => {
  const short = run([start, listed("7"), closed], { seconds: 0.1 });
  expect(last(short)).toEqual({ type: "wait", milliseconds: 400 });
  const withNews = [frame("ADDED", pod("8")), closed];
  expect(last(run([start, listed("7"), ...withNews], { seconds: 0.1 }))).toEqual(watchFrom("8"));
  const again = Array.from({ length: 6 }, () => withNews).flat();
  expect(last(run([start, listed("7"), ...again], { seconds: 0.1 }))).toEqual({
    type: "wait",
    milliseconds: 400,
  });
  expect(last(run([start, listed("7"), ...again], { seconds: 1 }))).toEqual(watchFrom("8"));
});

test("stepWatcher() lists if the stream of existing objects goes on for a minute: the server ignores the parameter", () => {
  const changes = Array.from({ length: 61 }, (_, at) => frame("MODIFIED", pod(String(at + 1))));
  const steps = run([start, ...changes], { watchList: true });
  const kept = steps.slice(1, 60);
  expect(kept.every(([command]) => command?.type === "keep")).toBe(true);
  expect(steps[60]).toEqual([{ type: "begin" }, { type: "list", resourceVersion: "0", limit: 500 }]);
});

test("stepWatcher() takes a watch for short by when it was opened, not by its last event", () => {
  const watches = Array.from({ length: 20 }, () => [
    frame("MODIFIED", pod("8")),
    frame("MODIFIED", pod("9")),
    closed,
  ]);
  const steps = run([start, listed("7"), ...watches.flat()], { seconds: 0.6 });
  const ends = steps.filter((_, at) => at > 1 && (at - 1) % 3 === 0);
  expect(ends).toEqual(watches.map(() => [watchFrom("9")]));
});
