import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineKind, type KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import type { ClusterUnderTest } from "../../../e2e/support/runtime/cluster-under-test.ts";
import { startClusterUnderTest } from "../../../e2e/support/runtime/cluster-under-test.ts";
import { loadConfig } from "../config/load-config.ts";
import { objectMatches } from "../controller/predicate.ts";
import { TerminalError } from "../errors/api-error.ts";
import { createLogger } from "../log/logger.ts";
import { eventually } from "../testing/eventually.ts";
import { startTestManager } from "../testing/test-manager.ts";
import { Manager } from "./manager.ts";
import type { ManagerOptions } from "./manager-options.ts";

interface ConfigMap extends KubernetesObject {
  data?: { [key: string]: string };
}
const ConfigMap = defineKind<ConfigMap>(
  { group: "", version: "v1" },
  { kind: "ConfigMap", plural: "configmaps" },
);
const Secret = defineKind({ group: "", version: "v1" }, { kind: "Secret", plural: "secrets" });

let cluster: ClusterUnderTest;
beforeAll(async () => {
  cluster = await startClusterUnderTest();
});
afterAll(() => cluster.stop());

function makeManager(options: Partial<ManagerOptions> = {}): Manager {
  return new Manager({
    name: "test",
    config: () => loadConfig({ kubeconfig: cluster.kubeconfig, env: {} }),
    logger: createLogger({ write() {} }),
    ...options,
  });
}

const nothing = { reconcile() {} };

/** A runnable that runs until it is stopped, and records its start and end. */
function witness(name: string, told: string[], needLeaderElection: boolean) {
  return {
    name,
    needLeaderElection,
    async start({ signal }: { signal: AbortSignal }) {
      told.push(`+${name}`);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      told.push(`-${name}`);
    },
  };
}

describe("a manager's controllers", () => {
  test("a controller creates a child object, and recreates it when it is deleted", async () => {
    const running = await startTestManager(cluster.kubeconfig!, (manager) => {
      manager
        .controllerFor(ConfigMap)
        .named("parent")
        .owns(Secret)
        .complete({
          async reconcile(request) {
            const parent = await manager.client.find(ConfigMap, request);
            if (parent?.metadata.labels?.["parent"] !== "yes") return;
            const { name, namespace } = parent.metadata;
            await manager.client.apply(
              Secret,
              { metadata: { name: `${name}-child`, namespace } },
              { owner: parent },
            );
          },
        });
    });
    const { client } = running;
    const key = { namespace: "default", name: "p1-child" };
    await client.create(ConfigMap, {
      metadata: { name: "p1", namespace: "default", labels: { parent: "yes" } },
    });
    const first = await eventually(() => client.get(Secret, key));
    expect(first.metadata.ownerReferences).toMatchObject([
      { kind: "ConfigMap", name: "p1", controller: true },
    ]);
    await client.delete(Secret, key);
    await eventually(async () => {
      const again = await client.find(Secret, key);
      return again !== undefined && again.metadata.uid !== first.metadata.uid;
    });
    await running.stop();
  });

  test("an object that is being deleted is passed to cleanup and never to reconcile", async () => {
    const told: string[] = [];
    let isClean = false;
    const running = await startTestManager(cluster.kubeconfig!, (manager) => {
      manager
        .controllerFor(ConfigMap, {
          predicates: [({ object }) => object.metadata.name.startsWith("fin")],
        })
        .named("finalized")
        .finalizer("example.com/first", (object) => {
          told.push(`first ${object.metadata.name}`);
          return isClean ? undefined : { requeueAfter: "20ms" };
        })
        .finalizer("example.com/second", (object) => void told.push(`second ${object.metadata.name}`))
        .complete({
          async reconcile(request) {
            const object = await manager.client.find(ConfigMap, request);
            told.push(`reconcile ${object ? (object.metadata.deletionTimestamp ?? "alive") : "gone"}`);
          },
        });
    });
    const { client } = running;
    const key = { namespace: "default", name: "fin" };
    await client.create(ConfigMap, { metadata: key });
    await eventually(async () => {
      const { finalizers } = (await client.get(ConfigMap, key)).metadata;
      return finalizers?.join() === "example.com/first,example.com/second";
    });
    await eventually(() => told.includes("reconcile alive"));
    await client.delete(ConfigMap, key);
    await eventually(() => told.filter((line) => line === "first fin").length >= 3);
    expect(told).not.toContain("second fin");
    isClean = true;
    await eventually(async () => (await client.find(ConfigMap, key)) === undefined);
    await eventually(() => told.at(-1) === "reconcile gone");
    expect(told.filter((line) => line.startsWith("reconcile 2"))).toEqual([]);
    expect(told.filter((line) => line === "second fin")).toHaveLength(1);
    await running.stop();
  });

  test("whileDeleting() reconciles an object that an external finalizer holds; without it nothing happens", async () => {
    const told: string[] = [];
    const running = await startTestManager(cluster.kubeconfig!, (manager) => {
      const isHeld = { predicates: [objectMatches(({ metadata }) => metadata.name === "held")] };
      const tell = (name: string) => ({
        async reconcile(request: { name: string }) {
          const object = await manager.client.find(ConfigMap, { namespace: "default", ...request });
          told.push(`${name} ${object?.metadata.deletionTimestamp === undefined ? "alive" : "deleting"}`);
        },
      });
      manager.controllerFor(ConfigMap, isHeld).named("with").whileDeleting().complete(tell("with"));
      manager.controllerFor(ConfigMap, isHeld).named("without").complete(tell("without"));
    });
    const { client } = running;
    const held = await client.create(ConfigMap, {
      metadata: { name: "held", namespace: "default", finalizers: ["example.com/other"] },
    });
    await eventually(() => told.includes("with alive") && told.includes("without alive"));
    await client.delete(ConfigMap, held);
    await eventually(() => told.includes("with deleting"));
    expect(told).not.toContain("without deleting");
    await client.patch(ConfigMap, held, { merge: { metadata: { finalizers: null } } });
    await running.stop();
  });

  test("two controllers with the same name are rejected, and so is one that watches nothing", () => {
    const manager = makeManager();
    manager.controllerFor(ConfigMap).complete(nothing);
    expect(() => manager.controllerFor(ConfigMap).complete(nothing)).toThrow(
      /two controllers named "configmap"/,
    );
    expect(() =>
      manager
        .controllerOf((key: string) => key)
        .named("none")
        .complete(nothing),
    ).toThrow(/watches nothing/);
    expect(() => manager.controllerFor(ConfigMap).finalizer("mine", () => {})).toThrow(TerminalError);
  });

  test("a kind that can't be listed fails the start; the message names the kind and what may be missing", async () => {
    const clock = new FakeClock();
    // Shorter than any delay before a retry.
    const manager = makeManager({ clock, controllers: { cacheSyncTimeout: "300ms" } });
    const Missing = defineKind(
      { group: "nowhere.io", version: "v1" },
      { kind: "Missing", plural: "missings" },
    );
    manager.controllerFor(Missing).complete(nothing);
    const failure = manager.start().catch(String);
    await eventually(() => manager.cache.existing(Missing)?.stats.lastError !== undefined);
    await clock.advance(300);
    expect(await failure).toMatch(/Missing objects \(nowhere\.io\/v1\).*missings\.nowhere\.io/s);
  });

  test("custom requests come from a source and from a map function", async () => {
    const seen = new Set<string>();
    let push: (url: { url: string }) => void = () => {};
    const running = await startTestManager(cluster.kubeconfig!, (manager) => {
      manager
        .controllerOf((request: { url: string }) => request.url)
        .named("urls")
        .watchesSource({ name: "queue", start: (enqueue) => void (push = enqueue) })
        .watches(ConfigMap, async ({ data }) => (data?.["url"] === undefined ? [] : [{ url: data["url"] }]))
        .complete({ reconcile: ({ url }) => void seen.add(url) });
    });
    push({ url: "from source" });
    await running.client.create(ConfigMap, {
      metadata: { name: "url", namespace: "default" },
      data: { url: "from map" },
    });
    await eventually(() => seen.size === 2);
    expect([...seen].sort()).toEqual(["from map", "from source"]);
    await running.stop();
  });

  test("a controller can be added while the manager runs, but not after it stopped", async () => {
    const running = await startTestManager(cluster.kubeconfig!);
    let runs = 0;
    running.manager
      .controllerFor(ConfigMap)
      .named("late")
      .complete({ reconcile: () => void runs++ });
    await running.client.create(ConfigMap, { metadata: { name: "late", namespace: "default" } });
    await eventually(() => runs > 0);
    await running.stop();
    expect(() => running.manager.add({ name: "too late", start() {} })).toThrow(/has stopped/);
  });
});

describe("the lifecycle of a manager", () => {
  test("runnables have stopped when start() resolves, and a manager can't be started again", async () => {
    const told: string[] = [];
    const manager = makeManager();
    manager.add(witness("leader", told, true));
    manager.add(witness("other", told, false));
    const end = manager.start();
    await manager.started;
    expect(told).toEqual(["+other", "+leader"]);
    manager.stop();
    await end;
    expect(told.slice(2).sort()).toEqual(["-leader", "-other"]);
    await expect(manager.start()).rejects.toThrow(/started once/);
  });

  test("a runnable that fails stops the manager, and all failures are reported", async () => {
    const told: string[] = [];
    const manager = makeManager();
    manager.add(witness("other", told, false));
    manager.add({
      name: "poller",
      async start({ signal }) {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        throw new Error("no goodbye");
      },
    });
    manager.add({ name: "bomb", start: () => Promise.reject(new Error("boom")) });
    await expect(manager.start()).rejects.toThrow("bomb failed: boom; poller failed: no goodbye");
    expect(told).toEqual(["+other", "-other"]);
  });

  test("a running reconcile ends before start() resolves, and is aborted at the deadline", async () => {
    let begun = false;
    let ended = false;
    const manager = makeManager({ gracefulShutdownTimeout: "100ms" });
    manager.controllerFor(ConfigMap).complete({
      async reconcile(_request, { signal }) {
        begun = true;
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        ended = true;
      },
    });
    const end = manager.start();
    await eventually(() => begun);
    manager.stop();
    await end;
    expect(ended).toBe(true);
  });

  test("a runnable that ignores its signal is abandoned, and start() rejects", async () => {
    const manager = makeManager({ gracefulShutdownTimeout: "50ms" });
    manager.add({ name: "stubborn", start: () => new Promise(() => {}) });
    const end = manager.start();
    await manager.started;
    manager.stop();
    await expect(end).rejects.toThrow(/did not|left behind/);
  });

  test("a missing cluster config fails the start at once", async () => {
    const manager = makeManager({ config: () => loadConfig({ kubeconfig: "/nowhere/kubeconfig", env: {} }) });
    await expect(manager.start()).rejects.toThrow(/\/nowhere\/kubeconfig/);
    await expect(manager.started).rejects.toThrow(/\/nowhere\/kubeconfig/);
  });
});

test.each([
  ["example.com", { hint: "if it is a custom resource, install its CRD: make install" }],
  ["batch", {}],
  ["resource.k8s.io", {}],
])("a kind of %s that the cluster doesn't serve is named with %j, without a stack", async (group, hint) => {
  const Trinket = defineKind({ group, version: "v1" }, { kind: "Trinket", plural: "trinkets" });
  const lines: string[] = [];
  const manager = makeManager({ logger: createLogger({ write: (line) => void lines.push(line) }) });
  manager.controllerFor(Trinket).complete(nothing);
  const ended = manager.start();
  const line = await eventually(() => {
    const found = lines.find((each) => each.includes('"level":"error"'));
    return found === undefined ? false : (JSON.parse(found) as object);
  });
  manager.stop();
  await ended;
  expect(line).toEqual({
    level: "error",
    ts: expect.any(String) as string,
    msg: "The cluster doesn't serve this kind, trying again",
    kind: "Trinket",
    apiVersion: `${group}/v1`,
    ...hint,
  });
});
