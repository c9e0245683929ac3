import type http from "node:http";
import { defineKind, type KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { Cache, CacheOptions } from "../cache/cache.ts";
import { createCache } from "../cache/create-cache.ts";
import type { ClusterConfig } from "../http/config.ts";
import { createClient } from "../client/live-client.ts";
import { FakeClock, settled } from "@tsbuilder/apimachinery/time";
import { moveClockUntil } from "../testing/move-clock.ts";
import {
  answerJSON,
  answerStatus,
  type StubRequest,
  type StubServer,
  startStubServer,
} from "../testing/stub-server.ts";

// The tables of faults and what the reflector makes of them stay in one file: together they are the list of what is known.

interface ConfigMap extends KubernetesObject {
  data?: { [key: string]: string };
}
const ConfigMap = defineKind<ConfigMap>(
  { group: "", version: "v1" },
  { kind: "ConfigMap", plural: "configmaps" },
);

/** What a test moves; a new one for each. */
let clock: FakeClock;
beforeEach(() => {
  clock = new FakeClock();
});

/** An hour is longer than all waits for which a reflector has a reason. */
const until = (check: () => unknown): Promise<unknown> =>
  moveClockUntil(clock, check, { timeout: 3_600_000 });

type Response = http.ServerResponse;
type Fault = (response: Response, request: StubRequest) => void;

function configMap(name: string, resourceVersion: string, data: { [key: string]: string } = {}): ConfigMap {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "default", uid: `uid-${name}`, resourceVersion },
    data,
  };
}

const event = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;
const added = event("ADDED", configMap("b", "11", { text: "größe 🦭" }));
const expired = event("ERROR", {
  kind: "Status",
  code: 410,
  reason: "Expired",
  message: "too old resource version",
});

function open(response: Response): Response {
  response.writeHead(200, { "content-type": "application/json" });
  response.flushHeaders();
  return response;
}

/** A server with one object in its list and one that a watch adds, and the given faults in its first answers. */
async function world({ list = [], watch = [] }: { list?: Fault[]; watch?: Fault[] }): Promise<StubServer> {
  let lists = 0;
  let watches = 0;
  const server = await startStubServer((request, response) => {
    const isWatch = request.query.get("watch") === "true";
    const fault = isWatch ? watch[watches++] : list[lists++];
    if (fault) fault(response, request);
    else if (isWatch) open(response).write(request.query.get("resourceVersion") === "10" ? added : "");
    else if (request.path.endsWith("configmaps")) {
      answerJSON(response, { metadata: { resourceVersion: "10" }, items: [configMap("a", "10")] });
    }
  });
  onTestFinished(() => server.close());
  return server;
}

function startCache(config: ClusterConfig, options: CacheOptions = {}): Cache {
  const client = createClient(config, { clock });
  const cache = createCache(client, { watchList: false, clock, ...options });
  onTestFinished(async () => {
    await cache.stop();
    await client.close();
  });
  cache.informer(ConfigMap);
  cache.start();
  return cache;
}

function names(cache: Cache): string[] {
  return cache
    .informer(ConfigMap)
    .list()
    .map(({ metadata }) => metadata.name ?? "")
    .sort();
}

function queries(server: StubServer, what: "list" | "watch"): (string | null)[] {
  return server.requests
    .filter(({ query }) => (query.get("watch") === "true") === (what === "watch"))
    .map(({ query }) => query.get("resourceVersion"));
}

const status =
  (code: number, reason: string, options?: { headers?: object; details?: object }): Fault =>
  (response) =>
    answerStatus(response, code, reason, options);
const reset: Fault = (_, { socket }) => socket.resetAndDestroy();
const silence: Fault = () => {};
const text =
  (body: string): Fault =>
  (response) => {
    open(response).end(body);
  };

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
      open(response).write('{"metadata":{"resourceVersion":"10"},"items":[{"metadata":');
      clock.setTimer(() => socket.resetAndDestroy(), 5);
    },
  ],
  "half an answer that ends well": [text('{"metadata":{"resourceVersion":"10"},"items":[{"metadata":')],
  "an answer that is no JSON": [text('{"metadata":{"resourceVersion":"10"},"items":[{oops}]}')],
  "no answer at all": [silence],
  "an answer that stops in the middle": [(response) => open(response).write('{"metadata":{},"items":[')],
  "410 for the version": [status(410, "Expired")],
  "a version that the server has not reached": [
    status(504, "Timeout", { details: { causes: [{ reason: "ResourceVersionTooLarge" }] } }),
  ],
  "410 for a continue token": [
    (response) =>
      answerJSON(response, {
        metadata: { resourceVersion: "9", continue: "t" },
        items: [configMap("old", "9")],
      }),
    status(410, "Expired"),
  ],
};

describe("Reflector", () => {
  for (const [name, faults] of Object.entries(listFaults)) {
    test(`recovers a list from ${name}`, async () => {
      const server = await world({ list: faults });
      const cache = startCache(server.config);
      await until(() => expect(names(cache)).toEqual(["a", "b"]));
      expect(queries(server, "list")).toHaveLength(faults.length + 1);
    });
  }
});

/** The faults of a watch, and the versions that the following lists start from. */
const watchFaults: { [name: string]: { faults: Fault[]; relists?: (string | null)[] } } = {
  "its end at the time": { faults: [text(event("BOOKMARK", configMap("", "10")))] },
  "very short watches": { faults: [text(""), text("")] },
  "410 instead of a watch": { faults: [status(410, "Expired")], relists: ["10"] },
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
  "a line that is no JSON": { faults: [text("{oops}\n")], relists: ["10"] },
  "no answer at all": { faults: [silence] },
  "silence after the head": { faults: [(response) => open(response)] },
  "an unknown event": { faults: [text(event("ERROR", { code: 418, reason: "Teapot" }))], relists: ["10"] },
};

describe("Reflector", () => {
  for (const [name, { faults, relists = [] }] of Object.entries(watchFaults)) {
    test(`recovers a watch from ${name}`, async () => {
      const server = await world({ watch: faults });
      const cache = startCache(server.config);
      await until(() => expect(names(cache)).toEqual(["a", "b"]));
      expect(queries(server, "list")).toEqual(["0", ...relists]);
      expect(queries(server, "watch")).toEqual(Array.from({ length: faults.length + 1 }, () => "10"));
    });
  }
});

test("Reflector puts together a line that arrives byte by byte, in characters too", async () => {
  const bytes = Buffer.from(added);
  const server = await world({
    watch: [
      async (response) => {
        open(response);
        for (const byte of bytes) {
          response.write(Buffer.of(byte));
          await new Promise(setImmediate);
        }
      },
    ],
  });
  const cache = startCache(server.config);
  await until(() => expect(names(cache)).toEqual(["a", "b"]));
  expect(cache.informer(ConfigMap).get({ namespace: "default", name: "b" })?.data?.text).toBe("größe 🦭");
});

test("Reflector takes an object of ten megabytes, in a list and in a watch", async () => {
  const large = "x".repeat(10 * 1024 * 1024);
  const server = await world({
    list: [
      (response) =>
        answerJSON(response, {
          metadata: { resourceVersion: "10" },
          items: [configMap("a", "10", { large })],
        }),
    ],
    watch: [(response) => open(response).write(event("ADDED", configMap("b", "11", { large })))],
  });
  const cache = startCache(server.config);
  await until(() => expect(names(cache)).toEqual(["a", "b"]));
  expect(cache.informer(ConfigMap).get({ namespace: "default", name: "b" })?.data?.large).toHaveLength(
    large.length,
  );
});

test("Reflector reads pages, and takes them as one list", async () => {
  const page = (names: string[], next?: string): Fault => {
    const items = names.map((name) => configMap(name, "9"));
    return (response) => answerJSON(response, { metadata: { resourceVersion: "10", continue: next }, items });
  };
  const server = await world({ list: [page(["x", "y"], "second"), page(["z"])] });
  const cache = startCache(server.config);
  await until(() => expect(names(cache)).toEqual(["b", "x", "y", "z"]));
  const lists = server.requests.filter(({ query }) => query.get("watch") === null);
  expect(
    lists.map(({ query }) => [query.get("limit"), query.get("continue"), query.get("resourceVersion")]),
  ).toEqual([
    ["500", null, "0"],
    ["500", "second", null],
  ]);
});

test("Reflector waits for a server that isn't there yet, and asks it seldom", async () => {
  const gone = await startStubServer(() => {});
  await gone.close();
  const attempts: Error[] = [];
  const cache = startCache(gone.config, { onError: (error) => attempts.push(error) });
  await until(() => attempts.length >= 4);
  expect(cache.informer(ConfigMap).stats.lastError?.message).toContain("ECONNREFUSED");
  expect(cache.informer(ConfigMap).hasSynced).toBe(false);
});

test("Reflector reports a server whose certificate it can't trust, and goes on", async () => {
  const server = await world({});
  const attempts: Error[] = [];
  startCache(
    { server: server.config.server.replace("http:", "https:") },
    { onError: (error) => attempts.push(error) },
  );
  await until(() => attempts.length >= 2);
  expect(attempts[0]?.message).toMatch(/SSL|EPROTO|wrong version/);
});

test("Reflector says what keeps it from asking", async () => {
  const server = await world({});
  const errors: string[] = [];
  const onError = ({ message }: Error): void => void errors.push(message);
  const current = (): never => {
    throw new Error("the credential program failed");
  };
  startCache({ ...server.config, credentials: { current } }, { onError });
  await until(() => errors.length > 0);
  expect(errors[0]).toBe("the credential program failed");
});

test("Reflector streams the first list where the server can, and needs no other request", async () => {
  const end = { metadata: { resourceVersion: "10", annotations: { "k8s.io/initial-events-end": "true" } } };
  const server = await world({
    watch: [
      (response) => {
        open(response).write(event("ADDED", configMap("a", "10")));
        response.write(event("BOOKMARK", end));
        response.write(added);
      },
    ],
  });
  const cache = startCache(server.config, { watchList: true });
  await until(() => expect(names(cache)).toEqual(["a", "b"]));
  expect(server.requests).toHaveLength(1);
  expect(Object.fromEntries(server.requests[0]!.query)).toMatchObject({
    sendInitialEvents: "true",
    resourceVersionMatch: "NotOlderThan",
    allowWatchBookmarks: "true",
  });
});

test.for([
  ["refuses to stream", status(422, "Invalid")],
  [
    "fails in the middle of the stream",
    text(event("ADDED", configMap("half", "3")) + event("ERROR", { code: 500 })),
  ],
  ["ends the stream before its end", text(event("ADDED", configMap("half", "3")))],
  [
    "doesn't know the parameter",
    (response: Response) => open(response).write(event("ADDED", configMap("half", "3"))),
  ],
] as [string, Fault][])("Reflector lists where the server %s", async ([, fault]) => {
  const server = await world({ watch: [fault] });
  const cache = startCache(server.config, { watchList: true });
  await until(() => expect(names(cache)).toEqual(["a", "b"]));
  expect(queries(server, "list")).toEqual(["0"]);
});

test("Reflector asks a server for a watch of five to ten minutes", async () => {
  const server = await world({});
  const cache = startCache(server.config);
  await until(() => expect(names(cache)).toEqual(["a", "b"]));
  const seconds = Number(server.requests.at(-1)?.query.get("timeoutSeconds"));
  expect(seconds).toBeGreaterThanOrEqual(300);
  expect(seconds).toBeLessThan(600);
});

test("Reflector goes on after an outage of the server where it was, without a list", async () => {
  const server = await world({
    watch: [(response) => open(response).write(event("BOOKMARK", configMap("", "10")))],
  });
  const cache = startCache(server.config);
  const errors: unknown[] = [];
  await until(() => expect(queries(server, "watch")).toEqual(["10"]));
  await server.close();
  await until(() => {
    const { lastError } = cache.informer(ConfigMap).stats;
    if (lastError) errors.push(lastError);
    return errors.length > 0;
  });
  const again = await startStubServer((_, response) => void open(response).write(added), { at: server });
  onTestFinished(() => again.close());
  await until(() => expect(names(cache)).toEqual(["a", "b"]));
  expect(queries(again, "list")).toEqual([]);
  expect(queries(again, "watch")).toEqual(["10"]);
});

test("Reflector leaves neither connections nor timers behind, however often its watch ends", async () => {
  let version = 10;
  const server = await startStubServer((request, response) => {
    if (request.query.get("watch") !== "true") {
      answerJSON(response, { metadata: { resourceVersion: "10" }, items: [] });
      return;
    }
    version++;
    const isReset = version % 3 !== 0;
    open(response).write(event("ADDED", configMap(`w${version}`, String(version))));
    // Longer than a second, so that it isn't taken for a fault and slowed down.
    clock.setTimer(() => (isReset ? request.socket.resetAndDestroy() : response.end()), 1200);
  });
  onTestFinished(() => server.close());
  const cache = startCache(server.config);
  await until(() => cache.informer(ConfigMap).stats.objects > 30);
  expect(server.connections.open).toBeLessThanOrEqual(3);
  const before = clock.timers;
  await until(() => cache.informer(ConfigMap).stats.objects > 80);
  expect(clock.timers).toBeLessThanOrEqual(before + 2);
});

test("Reflector leaves no connection open when it is stopped", async () => {
  const server = await world({});
  const cache = startCache(server.config);
  await until(() => expect(names(cache)).toEqual(["a", "b"]));
  const { open } = server.connections;
  await cache.stop();
  await settled();
  expect(server.connections.open).toBeLessThan(open);
});
