import { FakeClock } from "@tsbuilder/apimachinery/time";
import { expect, onTestFinished, test } from "vitest";
import { ConfigMap } from "../../../e2e/support/runtime/broken-process.ts";
import { ShardObserver } from "../../../e2e/support/runtime/shard-observer.ts";
import { SuspendedClock } from "../../../e2e/support/runtime/suspended-clock.ts";
import { Namespace, useWidgetCluster, Widget } from "../../../e2e/support/runtime/widget-cluster.ts";
import { loadConfig } from "../config/load-config.ts";
import { createLogger } from "../log/logger.ts";
import type { ShardingOptions } from "../leader-election/lease-options.ts";
import { rangeCount, rangeOf } from "../shards/ranges.ts";
import { type FaultProxy, startFaultProxy } from "../testing/fault-proxy.ts";
import { eventually } from "../testing/eventually.ts";
import { moveClock, moveClockUntil } from "../testing/move-clock.ts";
import { Manager } from "./manager.ts";

const byNumber = (a: number, b: number): number => a - b;
const cluster = useWidgetCluster();
let serial = 0;

/** Processes of one operator that copies the sizes of Widgets to their status, and who wrote what. */
async function startWorld({ by = "uid" }: Pick<ShardingOptions, "by"> = {}) {
  const namespace = `shards-${serial++}`;
  await cluster.client.create(Namespace, { metadata: { name: namespace } });
  const clock = new FakeClock();
  const config = await loadConfig({ kubeconfig: cluster.kubeconfig, env: {} });
  const uids = new Map<string, string>();
  const observer = new ShardObserver((path) => {
    const name = /\/widgets\/([^/?]+)/.exec(path)?.[1];
    return name === undefined ? undefined : rangeOf(uids.get(name) ?? "");
  });
  const processes: SharedProcess[] = [];
  /** Returns true if the server still has to answer: the clock stands still meanwhile, even on a busy machine. */
  const isBusy = (): boolean =>
    processes.some(({ proxy, hasEnded }) => !hasEnded && !proxy.isHeld && proxy.unanswered > 0);
  onTestFinished(async () => {
    for (const process of processes) await process.revive();
    for (const process of processes) process.manager.stop();
    await moveClockUntil(clock, () => processes.every(({ hasEnded }) => hasEnded), { isBusy });
    await Promise.all(processes.map(({ proxy }) => proxy.close()));
  });
  return {
    namespace,
    clock,
    observer,
    processes,
    start: async (name: string): Promise<SharedProcess> => {
      const own = new SuspendedClock(clock);
      const proxy = await startFaultProxy(config, { clock: own });
      proxy.onRequest = (request) => {
        observer.sent(name, request);
        return undefined;
      };
      proxy.onAnswer = (request) => observer.answered(name, request);
      const process = new SharedProcess(name, proxy, own, { namespace, by });
      processes.push(process);
      return process;
    },
    /** Creates Widgets, or changes their sizes. */
    set: async (count: number, size: number): Promise<void> => {
      for (let index = 0; index < count; index++) {
        const name = `w${index}`;
        const { metadata } = await cluster.client.apply(Widget, {
          metadata: { namespace, name },
          spec: { size },
        });
        uids.set(name, metadata.uid ?? "");
      }
    },
    ready: async (size: number): Promise<boolean> => {
      const widgets = await cluster.client.list(Widget, { namespace });
      return widgets.every(({ status }) => status?.ready === size);
    },
    /**
     * Resolves when each of these processes has its part of the objects. A range that has moved is cached once, like one
     * that will move: that all objects are cached does not show that every process has given up what it should.
     */
    shared: (count: number, ...sharing: SharedProcess[]): Promise<true> =>
      moveClockUntil(
        clock,
        () => {
          const { shares } = observer;
          const isFair = shares.every((share) => Math.abs(share - rangeCount / sharing.length) < 1);
          const cached = sharing.reduce((sum, process) => sum + process.cached, 0);
          return isFair && shares.length === sharing.length && cached === count;
        },
        { isBusy },
      ),
    move: (milliseconds: number) => moveClock(clock, milliseconds, { isBusy }),
    until: (check: () => boolean | Promise<boolean>) => moveClockUntil(clock, check, { isBusy }),
  };
}

class SharedProcess {
  readonly name: string;
  readonly proxy: FaultProxy;
  readonly manager: Manager;
  readonly #clock: SuspendedClock;
  hasEnded = false;
  /** Writes that were refused because the object may be another process's. */
  refused = 0;
  beforeWrite: (signal: AbortSignal) => Promise<void> = async () => {};

  constructor(
    name: string,
    proxy: FaultProxy,
    clock: SuspendedClock,
    { namespace, by }: Pick<ShardingOptions, "namespace" | "by">,
  ) {
    this.name = name;
    this.proxy = proxy;
    this.#clock = clock;
    this.manager = new Manager({
      name: "operator",
      config: proxy.config,
      clock,
      logger: createLogger({ write() {} }),
      cache: { namespaces: [namespace!] },
      // Longer than the value of a label may be.
      sharding: { id: `operator.${"long.".repeat(12)}example.com`, namespace, by },
    });
    const { client } = this.manager;
    this.manager
      .controllerFor(Widget)
      .owns(ConfigMap)
      .withOptions({ maxConcurrentReconciles: 20 })
      .complete({
        reconcile: async (request, { signal }) => {
          const widget = await client.find(Widget, request);
          if (!widget) return;
          await this.beforeWrite(signal);
          try {
            await client.patchStatus(Widget, widget, { ready: widget.spec.size });
          } catch (error) {
            if (String(error).includes("may not write")) this.refused++;
            throw error;
          }
        },
      });
    void this.manager.start().then(() => (this.hasEnded = true));
  }

  /** How many objects it caches. */
  get cached(): number {
    return this.manager.cache.existing(Widget)?.stats.objects ?? 0;
  }

  /** As `kill -9` does: nothing of it runs any more. */
  kill(): void {
    this.#clock.suspend();
    this.proxy.isHeld = true;
  }

  async revive(): Promise<void> {
    this.proxy.isHeld = false;
    this.#clock.resume();
    await Promise.resolve();
  }
}

test("processes share the objects, move them when one joins, leaves or dies, and never work on one at once", async () => {
  const { start, set, ready, until, shared, move, observer } = await startWorld();
  await set(40, 1);
  const a = await start("a");
  await until(() => ready(1));
  expect(a.cached).toBe(40);

  const b = await start("b");
  await shared(40, a, b);
  await set(40, 2);
  await until(() => ready(2));
  const c = await start("c");
  await shared(40, a, b, c);

  c.kill();
  await set(40, 3);
  await move(1000);
  expect(await ready(3)).toBe(false);
  await until(() => ready(3));
  await shared(40, a, b);
  // Process c comes back and finds its Lease deleted.
  await c.revive();
  await shared(40, a, b, c);

  b.manager.stop();
  await until(() => b.hasEnded);
  await shared(40, a, c);
  await set(40, 4);
  await until(() => ready(4));
  expect(observer.clashes).toEqual([]);
  expect(new Set(observer.writes.map(({ process }) => process))).toEqual(new Set(["a", "b", "c"]));
});

test("a process that was suspended writes nothing for objects that have moved on", async () => {
  const { start, set, ready, until, observer } = await startWorld();
  await set(10, 1);
  const a = await start("a");
  await until(() => ready(1));
  const held: (() => void)[] = [];
  // Its reconciles read the new size, and are suspended before they write it.
  a.beforeWrite = () => new Promise((resolve) => void held.push(resolve));
  await set(10, 2);
  await until(() => held.length > 0);
  a.kill();
  await start("b");
  await until(() => ready(2));
  const before = observer.writes.filter(({ process }) => process === "a").length;
  a.beforeWrite = async () => {};
  await a.revive();
  for (const resolve of held) resolve();
  await until(() => a.refused > 0);
  expect(observer.writes.filter(({ process }) => process === "a")).toHaveLength(before);
  expect(observer.clashes).toEqual([]);
});

test("a range moves when its reconciles have ended, which are aborted if they take too long", async () => {
  const { start, set, ready, until, observer, clock } = await startWorld();
  await set(20, 1);
  const a = await start("a");
  await until(() => ready(1));
  let running = 0;
  let aborted = 0;
  a.beforeWrite = async (signal) => {
    running++;
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    aborted++;
  };
  await set(20, 2);
  await until(() => running === 20);
  const began = clock.monotonic();
  const b = await start("b");
  await until(() => aborted > 0);
  // The reconciles had the default of renewDeadline to end in.
  expect(clock.monotonic() - began).toBeGreaterThanOrEqual(10_000);
  await until(() => a.cached + b.cached === 20);
  // Reconciles of ranges that have not moved still run.
  expect(running - aborted).toBe(a.cached);
  expect(observer.clashes).toEqual([]);
});

test.each([
  { by: "namespace" as const, widgets: [[0, 6]], maps: [0, 1] },
  {
    by: "uid" as const,
    widgets: [
      [0, 6],
      [1, 5],
      [2, 4],
      [3, 3],
    ],
    maps: [1, 1],
  },
])("by $by, owned objects are cached $maps times", async ({ by, widgets, maps }) => {
  const { start, set, ready, until, namespace } = await startWorld({ by });
  await set(6, 1);
  await cluster.client.create(ConfigMap, { metadata: { namespace, name: "one" } });
  const processes = [await start("a"), await start("b")];
  const cached = (): number[] => processes.map(({ cached }) => cached).sort(byNumber);
  await until(async () => (await ready(1)) && cached().reduce((sum, count) => sum + count) === 6);
  expect(widgets).toContainEqual(cached());
  const stats = processes.map(({ manager }) => manager.cache.existing(ConfigMap)!.stats.objects);
  expect(stats.sort(byNumber)).toEqual(maps);
});

test("Leases whose namespace is missing are tried again once in a while, and logged", async () => {
  const clock = new FakeClock();
  const proxy = await startFaultProxy(await loadConfig({ kubeconfig: cluster.kubeconfig, env: {} }));
  const written: string[] = [];
  proxy.onRequest = ({ method }) => void (method === "POST" && written.push(method));
  const lines: string[] = [];
  const manager = new Manager({
    name: "operator",
    config: proxy.config,
    clock,
    logger: createLogger({ write: (line) => void lines.push(line) }),
    sharding: { id: "operator", namespace: "missing" },
  });
  const end = manager.start();
  const failures = () => lines.filter((line) => line.includes("Can't reach the Leases")).length;
  await eventually(() => expect(failures()).toBe(1));
  await moveClockUntil(clock, () => failures() === 3);
  expect(written).toHaveLength(3);
  manager.stop();
  await moveClockUntil(clock, () => lines.join("").includes('"Stopped"'));
  await end;
  await proxy.close();
});

test("what can't be shared needs a leader", () => {
  const options = { name: "operator", logger: createLogger({ write() {} }) };
  const sharding = { id: "operator", namespace: "default" };
  const poll = { name: "poll", start() {} };
  expect(() => new Manager({ ...options, sharding }).add(poll)).toThrow(/leaderElection/);
  new Manager({ ...options, sharding }).add({ ...poll, needLeaderElection: false });
  new Manager({ ...options, sharding, leaderElection: { id: "operator" } }).add(poll);
  expect(() => new Manager({ ...options, sharding: { id: "Operator" } })).toThrow(/name Leases/);
  expect(() => new Manager({ ...options, sharding: { ...sharding, leaseDuration: "5s" } })).toThrow(
    "sharding: leaseDuration must be longer than renewDeadline",
  );
});
