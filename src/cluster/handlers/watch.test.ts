import { afterEach, beforeEach, expect, test } from "vitest";
import { openWatch, type OpenWatch, type SeenEvent } from "../testing/testdata/open-watch.ts";
import { send } from "../testing/send.ts";
import { FakeClock, startTestCluster, type TestCluster } from "../testing/index.ts";

let cluster: TestCluster;
let clock: FakeClock;
beforeEach(async () => {
  clock = new FakeClock();
  cluster = await startTestCluster({ clock, historyLimit: 50 });
});
afterEach(() => cluster.stop());

const path = "/api/v1/namespaces/default/configmaps";
const create = (name: string, data: object = {}) =>
  send(cluster.kubeconfig, { method: "POST", path, body: { metadata: { name }, data } });

const watch = (query: string, of = path): Promise<OpenWatch> =>
  openWatch(cluster.kubeconfig, `${of}?watch=1&${query}`);

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

test("a watch sends a bookmark about every minute if requested", async () => {
  const { events, close } = await watch("allowWatchBookmarks=true");
  await create("a");
  await until(() => events.length === 2);
  await clock.advance(61_000);
  await until(() => events.length === 3);
  expect(events[2]).toMatchObject({
    type: "BOOKMARK",
    object: { metadata: { resourceVersion: events[1]!.object.metadata.resourceVersion } },
  });
  close();
});

test.each([
  { timeout: 150, at: [60, 120, 148] },
  { timeout: 121, at: [60, 119] },
  { timeout: 62, at: [60] },
  { timeout: 10, at: [8] },
  { timeout: 3, at: [1] },
  { timeout: 2, at: [] },
])("a watch of $timeout s tells the revision after $at s: last before it ends", async ({ timeout, at }) => {
  const revision = cluster.core.store.revision;
  const query = `allowWatchBookmarks=true&timeoutSeconds=${timeout}&resourceVersion=${revision}`;
  const { events, ended } = await watch(query);
  const seen: number[] = [];
  for (let second = 1; second <= timeout; second++) {
    await clock.advance(1000);
    if (at.includes(second)) {
      await until(() => events.length > seen.length);
      seen.push(second);
    }
    expect(events).toHaveLength(seen.length);
  }
  await ended;
  expect(events.map(({ type }) => type)).toEqual(at.map(() => "BOOKMARK"));
});

test("a watch ends after its timeout", async () => {
  const { ended } = await watch("timeoutSeconds=5");
  await clock.advance(5000);
  await ended;
  expect(cluster.core.store.revision).toBeGreaterThan(0);
});

test("with a clock of its own for connections, a cluster's time moves on without ending watches", async () => {
  await cluster.stop();
  const connections = new FakeClock();
  cluster = await startTestCluster({ clock, connectionClock: connections });
  const { events, ended } = await watch("timeoutSeconds=5");
  await clock.advance(60_000);
  await create("a");
  await until(() => events.length === 1);
  expect(events[0]).toMatchObject({ type: "ADDED", object: { metadata: { name: "a" } } });
  await connections.advance(5000);
  await ended;
});

test("a watch from an expired revision gets 410 as an event, a list as its response", async () => {
  const first = await create("a");
  const { resourceVersion } = (first.body as { metadata: { resourceVersion: string } }).metadata;
  for (let index = 0; index < 120; index++) await create(`b-${index}`);
  const { events, ended } = await watch(`resourceVersion=${resourceVersion}`);
  await ended;
  expect(events).toMatchObject([{ type: "ERROR", object: { code: 410, reason: "Expired" } }]);
  const query = `resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`;
  expect((await send(cluster.kubeconfig, { method: "GET", path: `${path}?${query}` })).code).toBe(410);
});

test("paging continues at the current revision if its own has expired", async () => {
  for (const name of ["a", "b", "c"]) await create(name);
  const first = await send(cluster.kubeconfig, { method: "GET", path: `${path}?limit=1` });
  const { metadata } = first.body as { metadata: { continue: string } };
  cluster.core.store.compact();
  await create("d");
  cluster.core.store.compact();
  const expired = await send(cluster.kubeconfig, {
    method: "GET",
    path: `${path}?limit=1&continue=${metadata.continue}`,
  });
  expect(expired.body).toMatchObject({ code: 410, reason: "Expired" });
  const token = (expired.body as { metadata: { continue: string } }).metadata.continue;
  const rest = await send(cluster.kubeconfig, { method: "GET", path: `${path}?continue=${token}` });
  expect((rest.body as { items: SeenEvent["object"][] }).items.map(({ metadata: { name } }) => name)).toEqual(
    ["b", "c", "d"],
  );
});

test("a watcher that does not read is disconnected and does not block others", async () => {
  const slow = await watch("");
  const quick = await watch("fieldSelector=metadata.name%3Dlast");
  slow.pause();
  const text = "x".repeat(900_000);
  for (let index = 0; index < 40; index++) await create(`big-${index}`, { text });
  await create("last");
  await until(() => quick.events.length === 1);
  slow.resume();
  await slow.ended;
  expect(slow.events.length).toBeLessThan(40);
  expect((await create("after")).code).toBe(201);
  quick.close();
});

test("watchers see restore() as writes", async () => {
  await create("kept", { k: "v" });
  const snapshot = cluster.snapshot();
  const { events, close } = await watch(`resourceVersion=${cluster.core.store.revision}`);
  await create("extra");
  await send(cluster.kubeconfig, { method: "DELETE", path: `${path}/kept` });
  await until(() => events.length === 2);
  cluster.restore(snapshot);
  await until(() => events.length === 4);
  expect(events.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual([
    "ADDED extra",
    "DELETED kept",
    "DELETED extra",
    "ADDED kept",
  ]);
  const { body } = await send(cluster.kubeconfig, { method: "GET", path });
  expect((body as { items: object[] }).items).toMatchObject([
    { metadata: { name: "kept" }, data: { k: "v" } },
  ]);
  close();
});

test("watchers of an Event see it in the version of their group", async () => {
  const groups = ["/apis/events.k8s.io/v1", "/api/v1"].map((group) => `${group}/namespaces/default/events`);
  const watches = await Promise.all(groups.map((group) => watch("resourceVersion=0", group)));
  const regarding = { kind: "ConfigMap", namespace: "default", name: "a" };
  await send(cluster.kubeconfig, {
    method: "POST",
    path: groups[0]!,
    body: {
      metadata: { name: "e" },
      eventTime: "2026-01-01T00:00:00.000000Z",
      reportingController: "example.com/c",
      reportingInstance: "c-0",
      action: "Look",
      reason: "Seen",
      type: "Normal",
      regarding,
      note: "a was seen",
    },
  });
  for (const { events } of watches) await expect.poll(() => events.length).toBeGreaterThan(0);
  expect(watches.map(({ events }) => events[0]!.object)).toMatchObject([
    { apiVersion: "events.k8s.io/v1", regarding, note: "a was seen" },
    { apiVersion: "v1", involvedObject: regarding, message: "a was seen" },
  ]);
  for (const { close } of watches) close();
});
