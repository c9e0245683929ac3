import { expect, onTestFinished, test, vi } from "vitest";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { callbacks, nothing, second, ways } from "../../../e2e/support/runtime/broken-callbacks.ts";
import { useWidgetCluster, Widget } from "../../../e2e/support/runtime/widget-cluster.ts";
import type { Result } from "../controller/reconciler.ts";
import { createLogger } from "../log/logger.ts";
import { eventually } from "../testing/eventually.ts";
import { startTestManager } from "../testing/test-manager.ts";

const cluster = useWidgetCluster();

const cases = Object.entries(callbacks).flatMap(([name, callback], at) =>
  callback.ways.map((way) => [name, way, callback, `${at}-${way.replaceAll(" ", "-")}`] as const),
);

test.for(cases)(
  "when %s %s, other objects are reconciled, and a log line and a metric report it",
  async (args) => {
    const [, way, { line = "A callback failed, going on without it", ...callback }, suffix] = args;
    const breaks: () => unknown = ways[way];
    const clock = new FakeClock();
    const lines: string[] = [];
    const write = (text: string) => lines.push(text) > 0;
    vi.spyOn(process.stderr, "write").mockImplementation((text) => write(String(text)));
    const reconciled: string[] = [];
    const reconcile = ({ name }: { readonly name: string }): Result => {
      reconciled.push(name);
      return name.startsWith("bad") ? (callback.reconcile?.(breaks) as Result) : undefined;
    };
    const { manager, client, stop } = await startTestManager(
      {
        kubeconfig: cluster.kubeconfig as string,
        clock,
        logger: createLogger({ level: "debug", write }),
        metrics: { bindAddress: "127.0.0.1:0" },
        gracefulShutdownTimeout: "0s",
        controllers: { maxConcurrentReconciles: 2 },
        ...callback.options?.(breaks),
      },
      (manager) => {
        callback.setUp?.(manager, breaks);
        manager.controllerFor(Widget).complete({ reconcile });
      },
    );
    const [bad, good] = [`bad-${suffix}`, `good-${suffix}`];
    onTestFinished(async () => {
      let isStopped = false;
      const stopped = stop().finally(() => void (isStopped = true));
      // A call that never ends is abandoned shortly after the deadline.
      await eventually(() => clock.advance(100).then(() => isStopped));
      await stopped;
      vi.restoreAllMocks();
      for (const name of [bad, good]) {
        const key = { namespace: "default", name };
        await cluster.client.patch(Widget, key, { merge: { metadata: { finalizers: null } } });
        await cluster.client.delete(Widget, key);
      }
    });
    for (const name of [bad, good])
      await client.create(Widget, { metadata: { name, namespace: "default" }, spec: {} });
    await eventually(() => expect(reconciled).toContain(good));
    if (callback.onDelete) {
      const key = { namespace: "default", name: bad };
      await eventually(async () => (await client.get(Widget, key)).metadata.finalizers !== undefined);
      await client.delete(Widget, key);
    }
    await eventually(async () => {
      // A call that hangs is logged after a while, and a source runs its function again after a while.
      await clock.advance(300_000);
      await callback.poke?.(manager);
      expect(lines.filter((text) => text.includes(`"msg":"${line}"`))).not.toEqual([]);
      const metrics = await (await fetch(`http://${manager.addresses.metrics}/metrics`)).text();
      const counter = metrics.split("\n").find((text) => text.startsWith(callback.counter));
      expect(Number(counter?.split(" ").at(-1))).toBeGreaterThan(0);
    });
    // The worker is free again: later requests are processed.
    const again = reconciled.length;
    await client.patch(Widget, { name: good, namespace: "default" }, { merge: { spec: { size: 2 } } });
    await eventually(() => expect(reconciled.slice(again)).toContain(good));
  },
);

test("a source that never starts fails the manager, and the error names it", async () => {
  const clock = new FakeClock();
  let onStart = () => {};
  const starting = new Promise<void>((resolve) => {
    onStart = resolve;
  });
  const running = startTestManager(
    { kubeconfig: cluster.kubeconfig as string, clock, logger: createLogger({ write() {} }) },
    (manager) => {
      const start = () => {
        onStart();
        return new Promise<never>(() => {});
      };
      second(manager).watchesSource({ name: "silent", start }).complete(nothing);
    },
  );
  const failure = running.catch((error: unknown) => error);
  await starting;
  await clock.advance(120_000);
  expect(await failure).toMatchObject({ message: 'the source "silent" has not started within 120 s' });
});
