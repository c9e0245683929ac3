import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type CustomResource, defineKind } from "@tsbuilder/apimachinery/meta";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { type Client, createClient, loadConfig } from "../index.ts";
import { createLogger } from "../log/logger.ts";
import { eventually } from "../testing/eventually.ts";
import { moveClock, moveClockUntil } from "../testing/move-clock.ts";
import { resetSocket } from "../testing/fault-proxy.ts";
import { startTestManager } from "../testing/test-manager.ts";
import type { Manager } from "./manager.ts";

interface Counter extends CustomResource<{ count: number }, { count?: number; writes?: number }> {}
const Counter = defineKind<Counter>(
  { group: "example.com", version: "v1" },
  { kind: "Counter", plural: "counters" },
);

let cluster: TestCluster;
let driver: Client & { close(): Promise<void> };
beforeAll(async () => {
  cluster = await startTestCluster({
    crds: [
      {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        metadata: { name: "counters.example.com" },
        spec: {
          group: "example.com",
          scope: "Namespaced",
          names: { kind: "Counter", listKind: "CounterList", plural: "counters", singular: "counter" },
          versions: [
            {
              name: "v1",
              served: true,
              storage: true,
              subresources: { status: {} },
              schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
            },
          ],
        },
      },
    ],
  });
  driver = createClient(() => loadConfig({ kubeconfig: cluster.kubeconfig, env: {} }), {
    fieldManager: "driver",
  });
});
afterAll(async () => {
  await driver.close();
  await cluster.stop();
});

/** Copies the number in the spec to the status. */
function copyCount(manager: Manager): void {
  manager
    .controllerFor(Counter)
    .withOptions({ maxConcurrentReconciles: 5 })
    .complete({
      async reconcile(request) {
        const counter = await manager.client.find(Counter, request);
        if (!counter || counter.status?.count === counter.spec.count) return;
        const writes = (counter.status?.writes ?? 0) + 1;
        await manager.client.patchStatus(Counter, counter, { count: counter.spec.count, writes });
      },
    });
}

const nameOf = (index: number) => `counter-${index}`;
const create = (namespace: string, name: string) =>
  driver.create(Counter, { metadata: { namespace, name }, spec: { count: 0 } });
const setCount = (namespace: string, name: string, count: number) =>
  driver.patch(Counter, { namespace, name }, { merge: { spec: { count } } });
const areSettled = async (namespace: string, count: number) =>
  (await driver.list(Counter, { namespace })).every(({ status }) => status?.count === count);

async function makeNamespace(name: string): Promise<string> {
  await cluster.install({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  return name;
}

test("three managers and another client write the same objects: they converge, and no error is logged", async () => {
  const namespace = await makeNamespace("storm");
  const lines: string[] = [];
  const clock = new FakeClock();
  const options = {
    kubeconfig: cluster.kubeconfig,
    clock,
    logger: createLogger({ level: "warn", write: (line) => void lines.push(line) }),
    cache: { namespaces: [namespace] },
    // A busy machine blocks the event loop too.
    blockedAfter: "0s",
  } as const;
  const managers = await Promise.all([1, 2, 3].map(() => startTestManager(options, copyCount)));
  const names = Array.from({ length: 10 }, (_, index) => nameOf(index));
  await Promise.all(names.map((name) => create(namespace, name)));
  for (let round = 1; round <= 10; round++)
    await Promise.all(names.map((name) => setCount(namespace, name, round)));
  await moveClockUntil(clock, () => areSettled(namespace, 10));
  expect(lines).toEqual([]);
  await Promise.all(managers.map(({ stop }) => stop()));
});

test("changes and deletions during an outage are reconciled afterwards, without a restart", async () => {
  const namespace = await makeNamespace("outage");
  const server = new URL(cluster.kubeconfig.clusters[0].cluster.server);
  const proxy = await startProxy(Number(server.port));
  server.port = String(proxy.port);
  const kubeconfig = structuredClone(cluster.kubeconfig);
  Object.assign(kubeconfig.clusters[0].cluster, { server: server.href });
  const gone: string[] = [];
  const clock = new FakeClock();
  const running = await startTestManager(
    { kubeconfig, clock, cache: { namespaces: [namespace] }, logger: createLogger({ write() {} }) },
    (manager) => {
      copyCount(manager);
      manager
        .controllerFor(Counter)
        .named("gone")
        .complete({
          async reconcile(request) {
            if (!(await manager.client.find(Counter, request))) gone.push(request.name);
          },
        });
    },
  );
  await Promise.all([0, 1, 2].map((index) => create(namespace, nameOf(index))));
  await moveClockUntil(clock, () => areSettled(namespace, 0));

  proxy.cut();
  await setCount(namespace, nameOf(0), 7);
  await driver.delete(Counter, { namespace, name: nameOf(1) });
  await create(namespace, nameOf(3));
  await moveClock(clock, 120_000);
  const before = await driver.get(Counter, { namespace, name: nameOf(0) });
  expect(before.status?.count).toBe(0);

  proxy.heal();
  await moveClockUntil(clock, async () => {
    const counts = (await driver.list(Counter, { namespace })).map(({ status }) => status?.count);
    return counts.join() === "7,0,0" && gone.includes(nameOf(1));
  });
  await running.stop();
});

test("churn leaks no memory, timers or sockets", async () => {
  const namespace = await makeNamespace("churn");
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const lines: string[] = [];
  const logger = createLogger({ level: "warn", write: (line) => void lines.push(line) });
  const clock = new FakeClock();
  const running = await startTestManager(
    // A busy machine blocks the event loop, which would be logged.
    { kubeconfig: cluster.kubeconfig, clock, cache: { namespaces: [namespace] }, logger, blockedAfter: "0s" },
    copyCount,
  );
  const churn = async (rounds: number) => {
    for (let round = 0; round < rounds; round++) {
      const names = Array.from({ length: 10 }, (_, index) => nameOf(index));
      await Promise.all(names.map((name) => create(namespace, name)));
      await Promise.all(names.map((name) => setCount(namespace, name, round)));
      await Promise.all(names.map((name) => driver.delete(Counter, { namespace, name })));
    }
    await moveClockUntil(
      clock,
      async () => (await running.manager.client.list(Counter, { namespace })).length === 0,
    );
  };
  const measure = async () => {
    // The queue doesn't keep anything for longer than this, so what is left afterwards is a leak.
    await moveClock(clock, 300_000);
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  await churn(10);
  const first = await measure();
  await churn(10);
  const second = await measure();
  await churn(10);
  const third = await measure();
  // The cluster in this process keeps an event log; a leak in the runtime would add far more.
  const kept = (third - second) / 100;
  expect({ kept: kept < 30_000, slope: third - second < (second - first) * 2 + 5_000_000 }).toEqual({
    kept: true,
    slope: true,
  });
  await running.stop();
  expect(clock.timers).toBe(0);
  // Objects that are deleted during a reconcile are not errors.
  expect(lines).toEqual([]);
  const timers = () => process.getActiveResourcesInfo().filter((type) => type === "Timeout").length;
  const idle = timers();
  const again = await startTestManager(cluster.kubeconfig, copyCount);
  await again.stop();
  await eventually(() => timers() <= idle);
});

/**
 * A proxy between a manager and its server that can be cut: connections break, and new ones are refused. Without
 * `noDelay` the kernel would delay small writes until the previous one is acknowledged, which `settled()` can't see.
 */
async function startProxy(port: number) {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer({ noDelay: true }, (client) => {
    if (isCut) return resetSocket(client);
    const upstream = connect({ port, host: "127.0.0.1", noDelay: true });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = () => {
    isCut = true;
    for (const socket of sockets) resetSocket(socket);
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, cut, heal: () => void (isCut = false) };
}
