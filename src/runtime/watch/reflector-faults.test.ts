import { FakeClock } from "@tsbuilder/apimachinery/time";
import { beforeEach, describe, expect, test } from "vitest";
import {
  added,
  configMap,
  event,
  expired,
  type Fault,
  names,
  open,
  queries,
  reset,
  silence,
  startCache,
  startFaultyServer,
  status,
  text,
} from "../../../e2e/support/runtime/faulty-server.ts";
import { eventually } from "../testing/eventually.ts";
import { moveClockUntil } from "../testing/move-clock.ts";
import { answerJSON } from "../testing/stub-server.ts";

/** The clock that a test moves; a new one for each. */
let clock: FakeClock;
beforeEach(() => {
  clock = new FakeClock();
});

/** An hour is longer than any delay of a reflector. */
const until = (check: () => unknown): Promise<unknown> =>
  moveClockUntil(clock, check, { timeout: 3_600_000 });

const listFaults: { [name: string]: Fault[] } = {
  "429 with Retry-After": [status(429, "TooManyRequests", { headers: { "retry-after": "0" } })],
  "429 without": [status(429, "TooManyRequests")],
  "500": [status(500, "InternalError")],
  "503 in HTML, as from a load balancer": [
    (response) => response.writeHead(503).end("<html>no backend</html>"),
  ],
  "a wrong token": [status(401, "Unauthorized")],
  "missing rights": [status(403, "Forbidden"), status(403, "Forbidden")],
  "a kind that isn't there yet": [status(404, "NotFound")],
  "a reset connection": [reset],
  "half an answer": [
    (response, { socket }) => {
      open(response).write(
        '{"kind":"ConfigMapList","metadata":{"resourceVersion":"10"},"items":[{"metadata":',
      );
      clock.setTimer(() => socket.resetAndDestroy(), 5);
    },
  ],
  "half an answer that ends well": [
    text('{"kind":"ConfigMapList","metadata":{"resourceVersion":"10"},"items":[{"metadata":'),
  ],
  "an answer that is not JSON": [
    text('{"kind":"ConfigMapList","metadata":{"resourceVersion":"10"},"items":[{oops}]}'),
  ],
  "no answer at all": [silence],
  "an answer that stops in the middle": [
    (response) => open(response).write('{"kind":"ConfigMapList","metadata":{},"items":['),
  ],
  "410 for the version": [status(410, "Expired")],
  "a version that the server has not reached": [
    status(504, "Timeout", { details: { causes: [{ reason: "ResourceVersionTooLarge" }] } }),
  ],
  "410 for a continue token": [
    (response) =>
      answerJSON(response, {
        kind: "ConfigMapList",
        metadata: { resourceVersion: "9", continue: "t" },
        items: [configMap("old", "9")],
      }),
    status(410, "Expired"),
  ],
};

describe("Reflector", () => {
  for (const [name, faults] of Object.entries(listFaults)) {
    test(`recovers a list from ${name}`, async () => {
      const server = await startFaultyServer({ list: faults });
      const cache = startCache(server.config, { clock });
      await until(() => expect(names(cache)).toEqual(["a", "b"]));
      expect(queries(server, "list")).toHaveLength(faults.length + 1);
    });
  }
});

test.each(["list", "watch"])(
  "a server that asks a %s for patience is reported before the wait",
  async (what) => {
    const throttled = status(429, "TooManyRequests", { headers: { "retry-after": "3600" } });
    const server = await startFaultyServer({ [what]: [throttled] });
    const errors: Error[] = [];
    startCache(server.config, { clock, onError: (error) => errors.push(error) });
    await eventually(() => expect(errors).toMatchObject([{ status: 429, retryAfterSeconds: 3600 }]));
    expect(clock.monotonic()).toBe(0);
  },
);

/** A page of a list that goes on. */
const page =
  (next: string): Fault =>
  (response) =>
    answerJSON(response, {
      kind: "ConfigMapList",
      metadata: { resourceVersion: "10", continue: next },
      items: [configMap(`of-${next}`, "10")],
    });

test.each<[string, Fault, number]>([
  [
    "that the server asks to request later",
    status(429, "TooManyRequests", { headers: { "retry-after": "60" } }),
    429,
  ],
  ["that is throttled", status(429, "TooManyRequests"), 429],
  ["of a server that restarts", status(503, "ServiceUnavailable", { headers: { "retry-after": "1" } }), 503],
  ["whose connection broke", reset, 0],
])("Reflector repeats only the page of a list %s, and reports it before the wait", async (_, fault, code) => {
  const server = await startFaultyServer({ list: [page("2"), page("3"), fault, fault] });
  const errors: Error[] = [];
  const cache = startCache(server.config, { clock, onError: (error) => errors.push(error) });
  await eventually(() => expect(errors).toMatchObject([{ status: code }]));
  expect(clock.monotonic()).toBe(0);
  await until(() => expect(names(cache)).toEqual(["a", "b", "of-2", "of-3"]));
  const lists = server.requests.filter(({ query }) => !query.has("watch"));
  expect(lists.map(({ query }) => query.get("continue"))).toEqual([null, "2", "3", "3", "3"]);
});

test("Reflector lists anew after it repeated a page in vain", async () => {
  const throttled = Array.from({ length: 11 }, () => status(429, "TooManyRequests"));
  const server = await startFaultyServer({ list: [page("2"), ...throttled] });
  const cache = startCache(server.config, { clock });
  await until(() => expect(names(cache)).toEqual(["a", "b"]));
  expect(queries(server, "list")).toEqual(["0", ...throttled.map(() => null), "0"]);
});

/** The faults of a watch, and the versions from which the next lists start. */
const watchFaults: { [name: string]: { faults: Fault[]; relists?: (string | null)[] } } = {
  "its end at the time": { faults: [text(event("BOOKMARK", configMap("", "10")))] },
  "very short watches": { faults: [text(""), text("")] },
  "410 instead of a watch": { faults: [status(410, "Expired")], relists: ["10"] },
  "a version that a restored server doesn't have": {
    faults: [
      status(504, "Timeout", {
        headers: { "retry-after": "1" },
        details: { causes: [{ reason: "ResourceVersionTooLarge" }] },
      }),
    ],
    relists: [null],
  },
  "410 in a watch": { faults: [text(expired)], relists: ["10"] },
  "429": { faults: [status(429, "TooManyRequests"), status(429, "TooManyRequests")] },
  "429 in a watch": { faults: [text(event("ERROR", { code: 429, reason: "TooManyRequests" }))] },
  "500": { faults: [status(500, "InternalError")] },
  "503": { faults: [status(503, "ServiceUnavailable")] },
  "a wrong token": { faults: [status(401, "Unauthorized")] },
  "missing rights": { faults: [status(403, "Forbidden")] },
  "a reset instead of an answer": { faults: [reset] },
  "a reset in a line": {
    faults: [
      (response, { socket }) => {
        open(response).write(added.slice(0, 40));
        clock.setTimer(() => socket.resetAndDestroy(), 5);
      },
    ],
  },
  "an end in a line": { faults: [text(added.slice(0, 40))] },
  "a line that is not JSON": { faults: [text("{oops}\n")], relists: ["10"] },
  "no answer at all": { faults: [silence] },
  "silence after the head": { faults: [(response) => open(response)] },
  "an event of an unknown type": {
    faults: [text(event("REPLACED", configMap("c", "11")))],
    relists: ["10"],
  },
  "an event without an object": { faults: [text('{"type":"ADDED"}\n')], relists: ["10"] },
  "an event whose object has no metadata": {
    faults: [text(event("ADDED", { kind: "ConfigMap" }))],
    relists: ["10"],
  },
  "an event that is null": { faults: [text("null\n")], relists: ["10"] },
  "an unknown error": { faults: [text(event("ERROR", { code: 418, reason: "Teapot" }))], relists: ["10"] },
};

describe("Reflector", () => {
  for (const [name, { faults, relists = [] }] of Object.entries(watchFaults)) {
    test(`recovers a watch from ${name}`, async () => {
      const server = await startFaultyServer({ watch: faults });
      const cache = startCache(server.config, { clock });
      await until(() => expect(names(cache)).toEqual(["a", "b"]));
      expect(queries(server, "list")).toEqual(["0", ...relists]);
      expect(queries(server, "watch")).toEqual(Array.from({ length: faults.length + 1 }, () => "10"));
    });
  }
});
