import { freePort } from "@tsbuilder/apimachinery/port";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import type { Fault, Response } from "../../../e2e/support/runtime/faulty-server.ts";
import {
  added,
  ConfigMap,
  configMap,
  event,
  names,
  open,
  queries,
  startCache,
  startFaultyServer,
  status,
  text,
} from "../../../e2e/support/runtime/faulty-server.ts";
import { eventually } from "../testing/eventually.ts";
import { moveClockUntil } from "../testing/move-clock.ts";
import { answerJSON, startStubServer } from "../testing/stub-server.ts";

/** The clock that a test moves; a new one for each. */
let clock: FakeClock;
beforeEach(() => {
  clock = new FakeClock();
});

/** An hour is longer than any delay of a reflector. */
const until = (check: () => unknown): Promise<unknown> =>
  moveClockUntil(clock, check, { timeout: 3_600_000 });

test("Reflector assembles a line that arrives byte by byte, even within characters", async () => {
  const bytes = Buffer.from(added);
  const server = await startFaultyServer({
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
  const cache = startCache(server.config, { clock });
  await until(() => expect(names(cache)).toEqual(["a", "b"]));
  expect(cache.informer(ConfigMap).get({ namespace: "default", name: "b" })?.data?.text).toBe("größe 🦭");
});

test("Reflector reads an object of ten megabytes, in a list and in a watch", async () => {
  const large = "x".repeat(10 * 1024 * 1024);
  const server = await startFaultyServer({
    list: [
      (response) =>
        answerJSON(response, {
          kind: "ConfigMapList",
          metadata: { resourceVersion: "10" },
          items: [configMap("a", "10", { large })],
        }),
    ],
    watch: [(response) => open(response).write(event("ADDED", configMap("b", "11", { large })))],
  });
  const cache = startCache(server.config, { clock });
  await until(() => expect(names(cache)).toEqual(["a", "b"]));
  expect(cache.informer(ConfigMap).get({ namespace: "default", name: "b" })?.data?.large).toHaveLength(
    large.length,
  );
});

test("Reflector combines the pages of a list", async () => {
  const page = (names: string[], next?: string): Fault => {
    const items = names.map((name) => configMap(name, "9"));
    return (response) =>
      answerJSON(response, {
        kind: "ConfigMapList",
        metadata: { resourceVersion: "10", continue: next },
        items,
      });
  };
  const server = await startFaultyServer({ list: [page(["x", "y"], "second"), page(["z"])] });
  const cache = startCache(server.config, { clock });
  await until(() => expect(names(cache)).toEqual(["b", "x", "y", "z"]));
  const lists = server.requests.filter(({ query }) => query.get("watch") === null);
  expect(
    lists.map(({ query }) => [query.get("limit"), query.get("continue"), query.get("resourceVersion")]),
  ).toEqual([
    ["500", null, "0"],
    ["500", "second", null],
  ]);
});

test("Reflector retries an unreachable server with a growing delay", async () => {
  const gone = await startStubServer(() => {});
  await gone.close();
  const attempts: Error[] = [];
  const cache = startCache(gone.config, { clock, onError: (error) => attempts.push(error) });
  await until(() => attempts.length >= 4);
  expect(cache.informer(ConfigMap).stats.lastError?.message).toContain("ECONNREFUSED");
  expect(cache.informer(ConfigMap).hasSynced).toBe(false);
});

test("Reflector reports a server whose certificate it can't trust, and goes on", async () => {
  const server = await startFaultyServer({});
  const attempts: Error[] = [];
  startCache(
    { server: server.config.server.replace("http:", "https:") },
    { clock, onError: (error) => attempts.push(error) },
  );
  await until(() => attempts.length >= 2);
  expect(attempts[0]?.message).toMatch(/SSL|EPROTO|wrong version/);
});

test("Reflector reports an error that occurs before the request", async () => {
  const server = await startFaultyServer({});
  const errors: string[] = [];
  const onError = ({ message }: Error): void => void errors.push(message);
  const current = (): never => {
    throw new Error("the credential program failed");
  };
  startCache({ ...server.config, credentials: { current } }, { clock, onError });
  await until(() => errors.length > 0);
  expect(errors[0]).toBe("the credential program failed");
});

test("Reflector streams the first list if the server supports it, with a single request", async () => {
  const end = { metadata: { resourceVersion: "10", annotations: { "k8s.io/initial-events-end": "true" } } };
  const server = await startFaultyServer({
    watch: [
      (response) => {
        open(response).write(event("ADDED", configMap("a", "10")));
        response.write(event("BOOKMARK", end));
        response.write(added);
      },
    ],
  });
  const cache = startCache(server.config, { clock, watchList: true });
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
] as [string, Fault][])("Reflector lists if the server %s", async ([, fault]) => {
  const server = await startFaultyServer({ watch: [fault] });
  const cache = startCache(server.config, { clock, watchList: true });
  await until(() => expect(names(cache)).toEqual(["a", "b"]));
  expect(queries(server, "list")).toEqual(["0"]);
});

test("Reflector asks a server for a watch of five to ten minutes", async () => {
  const server = await startFaultyServer({});
  const cache = startCache(server.config, { clock });
  await until(() => expect(names(cache)).toEqual(["a", "b"]));
  const seconds = Number(server.requests.at(-1)?.query.get("timeoutSeconds"));
  expect(seconds).toBeGreaterThanOrEqual(300);
  expect(seconds).toBeLessThan(600);
});

test("Reflector resumes the watch after an outage, without a list", async () => {
  const port = await freePort();
  const server = await startFaultyServer({
    watch: [(response) => open(response).write(event("BOOKMARK", configMap("", "10")))],
    port,
  });
  const cache = startCache(server.config, { clock });
  const errors: unknown[] = [];
  await until(() => expect(queries(server, "watch")).toEqual(["10"]));
  await server.close();
  await until(() => {
    const { lastError } = cache.informer(ConfigMap).stats;
    if (lastError) errors.push(lastError);
    return errors.length > 0;
  });
  const again = await startStubServer((_, response) => void open(response).write(added), { port });
  onTestFinished(() => again.close());
  await until(() => expect(names(cache)).toEqual(["a", "b"]));
  expect(queries(again, "list")).toEqual([]);
  expect(queries(again, "watch")).toEqual(["10"]);
});

test("Reflector leaks no connections or timers, however often its watch ends", async () => {
  let version = 10;
  const server = await startStubServer((request, response) => {
    if (request.query.get("watch") !== "true") {
      answerJSON(response, { kind: "ConfigMapList", metadata: { resourceVersion: "10" }, items: [] });
      return;
    }
    version++;
    const isReset = version % 3 !== 0;
    open(response).write(event("ADDED", configMap(`w${version}`, String(version))));
    // Longer than a second, so that it doesn't count as a failure, which would add a delay.
    clock.setTimer(() => (isReset ? request.socket.resetAndDestroy() : response.end()), 1200);
  });
  onTestFinished(() => server.close());
  const cache = startCache(server.config, { clock });
  await until(() => cache.informer(ConfigMap).stats.objects > 30);
  expect(server.connections.open).toBeLessThanOrEqual(3);
  const before = clock.timers;
  await until(() => cache.informer(ConfigMap).stats.objects > 80);
  expect(clock.timers).toBeLessThanOrEqual(before + 2);
});

test("Reflector leaves no connection open when it is stopped", async () => {
  const server = await startFaultyServer({});
  const cache = startCache(server.config, { clock });
  await until(() => expect(names(cache)).toEqual(["a", "b"]));
  const { open } = server.connections;
  await cache.stop();
  // The kernel decides when the server learns of it.
  await eventually(() => expect(server.connections.open).toBeLessThan(open));
});
