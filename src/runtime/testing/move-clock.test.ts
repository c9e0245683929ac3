import { defineKind, type KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { expect, onTestFinished, test } from "vitest";
import { createClient } from "../client/live-client.ts";
import { moveClock, moveClockUntil } from "./move-clock.ts";
import { startTestManager } from "./test-manager.ts";
import { startStubServer } from "./stub-server.ts";

interface ConfigMap extends KubernetesObject {
  readonly data?: { readonly [key: string]: string };
}
const ConfigMap = defineKind<ConfigMap>(
  { group: "", version: "v1" },
  { kind: "ConfigMap", plural: "configmaps" },
);
const key = { namespace: "default", name: "counter" };

/** A controller that increments a counter in a ConfigMap every hour; returns a function that reads it. */
async function startCounter(clock: FakeClock): Promise<() => Promise<number>> {
  const cluster = await startTestCluster({ clock });
  onTestFinished(() => cluster.stop());
  const running = await startTestManager({ kubeconfig: cluster.kubeconfig, clock }, (manager) => {
    manager.controllerFor(ConfigMap).complete({
      async reconcile(request) {
        if (request.name !== key.name) return;
        const { data = {} } = await manager.client.get(ConfigMap, request);
        const count = String(Number(data["count"]) + 1);
        // The patch is itself a change of the object; the next increment is due an hour later.
        const due = Number(data["due"] ?? 0);
        if (clock.now() < due) return { requeueAfter: `${due - clock.now()}ms` };
        const merge = { data: { count, due: String(clock.now() + 3_600_000) } };
        await manager.client.patch(ConfigMap, request, { merge });
      },
    });
  });
  onTestFinished(() => running.stop());
  await running.client.create(ConfigMap, { metadata: key, data: { count: "0" } });
  return async () => Number((await running.client.get(ConfigMap, key)).data?.["count"]);
}

test("moveClock() resolves when manager and cluster have finished what the timers triggered", async () => {
  const clock = new FakeClock();
  const count = await startCounter(clock);
  await moveClock(clock, 0);
  expect(await count()).toBe(1);
  await moveClock(clock, 3_599_999);
  expect(await count()).toBe(1);
  await moveClock(clock, 1);
  expect(await count()).toBe(2);
  await moveClock(clock, 4 * 3_600_000);
  expect(await count()).toBe(6);
});

test("moveClockUntil() moves to the time at which a check holds, and no further", async () => {
  const clock = new FakeClock();
  const count = await startCounter(clock);
  const start = clock.now();
  await moveClockUntil(clock, async () => (await count()) === 4, { timeout: 24 * 3_600_000 });
  expect(clock.now() - start).toBe(3 * 3_600_000);
});

test("moveClockUntil() rejects with the last error of the check after the timeout", async () => {
  const clock = new FakeClock();
  clock.setTimer(() => undefined, 500);
  clock.setTimer(() => undefined, 2000);
  const moved = moveClockUntil(clock, () => expect(clock.monotonic()).toBe(-1), { timeout: 1000 });
  await expect(moved).rejects.toThrow("expected 500 to be -1");
});

test("moveClockUntil() rejects with what a timer throws", async () => {
  const clock = new FakeClock();
  clock.setTimer(() => {
    throw new Error("the timer is broken");
  }, 500);
  await expect(moveClockUntil(clock, () => false)).rejects.toThrow("the timer is broken");
});

test("moveClock() doesn't wait for a reconcile whose request hangs: the request times out on the same clock", async () => {
  const clock = new FakeClock();
  const silent = await startStubServer(() => {});
  onTestFinished(() => silent.close());
  const client = createClient(silent.config, { clock });
  onTestFinished(() => client.close());
  const cluster = await startTestCluster({ clock });
  onTestFinished(() => cluster.stop());
  const failures: [time: number, message: string][] = [];
  const running = await startTestManager({ kubeconfig: cluster.kubeconfig, clock }, (manager) => {
    manager.controllerFor(ConfigMap).complete({
      async reconcile({ name }) {
        if (name !== key.name) return;
        await client.request({ path: "/version" }).catch(({ message }: Error) => {
          failures.push([clock.monotonic(), message]);
        });
      },
    });
  });
  onTestFinished(() => running.stop());
  await running.client.create(ConfigMap, { metadata: key });
  await moveClock(clock, 64_999);
  expect(failures).toEqual([]);
  expect(silent.requests).toHaveLength(1);
  await moveClock(clock, 1);
  expect(failures).toEqual([[65_000, expect.stringContaining("/version")]]);
});

test("two callers that move the same clock don't wait for each other", async () => {
  const clock = new FakeClock();
  await Promise.all([moveClock(clock, 1000), moveClockUntil(clock, () => clock.monotonic() >= 1000)]);
  expect(clock.monotonic()).toBeGreaterThanOrEqual(1000);
});

test("sixty days in which nothing is due are skipped, and what is due after them is done", async () => {
  const clock = new FakeClock();
  const cluster = await startTestCluster({ clock });
  onTestFinished(() => cluster.stop());
  const renewed: string[] = [];
  const running = await startTestManager({ kubeconfig: cluster.kubeconfig, clock }, (manager) => {
    manager.controllerFor(ConfigMap).complete({
      async reconcile({ name }) {
        if (name !== key.name) return undefined;
        renewed.push(new Date(clock.now()).toISOString());
        return { requeueAfter: "1440h" };
      },
    });
  });
  onTestFinished(() => running.stop());
  await running.client.create(ConfigMap, { metadata: key });
  let timers = 0;
  const counting = new Proxy(clock, {
    get: (target, name) => {
      if (name === "advance") timers++;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  await moveClock(counting, 61 * 86_400_000);
  expect(renewed).toEqual(["2024-01-01T00:00:00.000Z", "2024-03-01T00:00:00.000Z"]);
  expect(timers).toBeLessThan(200);
  // The watches are as good as before.
  await running.client.patch(ConfigMap, key, { merge: { data: { count: "1" } } });
  await moveClock(clock, 0);
  expect(renewed).toHaveLength(3);
});
