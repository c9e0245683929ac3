import type { NamespacedName } from "../client/client.ts";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { expect, onTestFinished, test } from "vitest";
import { useWidgetCluster, Widget } from "../../../e2e/support/runtime/widget-cluster.ts";
import { interceptClient } from "../client/intercept-client.ts";
import { type ClientOptions, createClient } from "../client/live-client.ts";
import { loadConfig } from "../config/load-config.ts";
import { ApiError } from "../errors/api-error.ts";
import { createLogger } from "../log/logger.ts";
import { moveClockUntil } from "../testing/move-clock.ts";
import { startTestManager } from "../testing/test-manager.ts";
import { deletionAware } from "./deletion-aware.ts";
import type { Cleanup, Reconciler, Result } from "./reconciler.ts";

const cluster = useWidgetCluster();

const context = {
  log: createLogger({ write() {} }),
  signal: new AbortController().signal,
  events: { normal() {}, warning() {} },
};

/** The reconciler of a controller with finalizers, which reads from the server. */
async function makeReconciler(
  cleanups: { readonly [name: string]: Cleanup<Widget> },
  options: ClientOptions = {},
): Promise<{ run: (request: NamespacedName) => Promise<Result>; reconciled: string[] }> {
  const client = createClient(await loadConfig({ kubeconfig: cluster.kubeconfig, env: {} }), options);
  onTestFinished(() => client.close());
  const reconciled: string[] = [];
  const finalizers = Object.entries(cleanups).map(([name, cleanup]) => ({
    name: `example.com/${name}`,
    cleanup,
  }));
  const inner: Reconciler = { reconcile: ({ name }) => void reconciled.push(name) };
  const reconciler = deletionAware(client, { kind: Widget, finalizers, whileDeleting: false }, inner);
  return { run: async (request) => reconciler.reconcile(request, context), reconciled };
}

const finalizersOf = async (request: NamespacedName): Promise<string[] | undefined> =>
  (await cluster.client.find(Widget, request))?.metadata.finalizers;

test("finalizers are added before the first reconcile, and removed one after the other as their cleanups succeed", async () => {
  const calls: string[] = [];
  let isReady = false;
  const { run, reconciled } = await makeReconciler({
    first: () => void calls.push("first"),
    second: () => {
      calls.push("second");
      return isReady ? undefined : { requeueAfter: "30s" };
    },
    third: () => void calls.push("third"),
  });
  const key = cluster.key();
  await cluster.client.create(Widget, { metadata: key, spec: {} });
  await run(key);
  expect(await finalizersOf(key)).toEqual(["example.com/first", "example.com/second", "example.com/third"]);
  expect(reconciled).toEqual([key.name]);
  await cluster.client.delete(Widget, key);
  expect(await run(key)).toEqual({ requeueAfter: "30s" });
  expect(await finalizersOf(key)).toEqual(["example.com/second", "example.com/third"]);
  isReady = true;
  await run(key);
  expect(calls).toEqual(["first", "second", "second", "third"]);
  expect(await finalizersOf(key)).toBeUndefined();
  expect(reconciled).toEqual([key.name]);
});

test("a process asks once whether an object has its finalizers, however often a cleanup is tried", async () => {
  const key = cluster.key();
  const finalizers = ["example.com/hold"];
  await cluster.client.create(Widget, { metadata: { ...key, finalizers }, spec: {} });
  await cluster.client.delete(Widget, key);
  const live = createClient(await loadConfig({ kubeconfig: cluster.kubeconfig, env: {} }));
  onTestFinished(() => live.close());
  const lists: unknown[] = [];
  const client = interceptClient(live, {
    list(call, next) {
      lists.push(call.args);
      return next(call);
    },
  });
  const cleanup = () => ({ requeueAfter: "30s" }) as const;
  const policy = { kind: Widget, finalizers: [{ name: finalizers[0]!, cleanup }], whileDeleting: false };
  const reconciler = deletionAware(client, policy, { reconcile() {} });
  for (let round = 0; round < 3; round++)
    expect(await reconciler.reconcile(key, context)).toEqual({ requeueAfter: "30s" });
  expect(lists).toHaveLength(1);
});

test("what an earlier process cleaned up isn't cleaned up again from an old view: the next object of the name has its children", async () => {
  let old: unknown;
  const calls: string[] = [];
  const live = createClient(await loadConfig({ kubeconfig: cluster.kubeconfig, env: {} }));
  onTestFinished(() => live.close());
  const client = interceptClient(live, {
    find: (call, next) =>
      old !== undefined && !(call.args[1] as { live?: boolean } | undefined)?.live
        ? Promise.resolve(old)
        : next(call),
  });
  const finalizers = [{ name: "example.com/hold", cleanup: () => void calls.push("cleanup") }];
  const policy = { kind: Widget, finalizers, whileDeleting: false };
  const written: string[] = [];
  /** A process that has not met any object yet. */
  const run = (request: NamespacedName) =>
    deletionAware(client, policy, {
      async reconcile({ name }) {
        await client.apply(Widget, { metadata: { ...request, name: `${name}-child` }, spec: {} });
        written.push(name);
      },
    }).reconcile(request, context);
  const key = cluster.key();
  await cluster.client.create(Widget, { metadata: key, spec: {} });
  await run(key);
  const alive = await cluster.client.find(Widget, key);
  await cluster.client.delete(Widget, key);
  const deleted = await cluster.client.find(Widget, key);
  await run(key);
  await cluster.client.create(Widget, { metadata: key, spec: {} });
  await run(key);
  expect([calls, written]).toEqual([["cleanup"], [key.name, key.name]]);
  for (old of [alive, deleted]) await run(key);
  expect([calls, written]).toEqual([["cleanup"], [key.name, key.name]]);
});

test("a 404 of a proxy doesn't look as if the object were gone", async () => {
  let isBroken = false;
  const { run } = await makeReconciler(
    { hold: () => {} },
    {
      interceptors: [
        (request, next) =>
          isBroken && request.method === "PATCH"
            ? Promise.reject(new ApiError({ code: 404, reason: "NotFound", message: "no such page" }))
            : next(request),
      ],
    },
  );
  const key = cluster.key();
  await cluster.client.create(Widget, { metadata: key, spec: {} });
  await run(key);
  await cluster.client.delete(Widget, key);
  isBroken = true;
  await expect(run(key)).rejects.toThrow("no such page");
  isBroken = false;
  await run(key);
  expect(await finalizersOf(key)).toBeUndefined();
});

test("a cleanup that returns requeueAfter 0s is called again until it is done, and a line says so", async () => {
  const clock = new FakeClock();
  const lines: string[] = [];
  const at: number[] = [];
  const key = cluster.key();
  const { client, stop } = await startTestManager(
    {
      kubeconfig: cluster.kubeconfig as string,
      clock,
      logger: createLogger({ level: "warn", write: (line) => void lines.push(line) }),
    },
    (manager) =>
      void manager
        .controllerFor(Widget, { predicates: [({ object }) => object.metadata.name === key.name] })
        .finalizer("example.com/slow", () => {
          at.push(clock.monotonic());
          return at.length < 3 ? { requeueAfter: "0s" } : undefined;
        })
        .complete({ reconcile() {} }),
  );
  onTestFinished(stop);
  await client.create(Widget, { metadata: key, spec: {} });
  await moveClockUntil(clock, async () => (await finalizersOf(key)) !== undefined);
  const start = clock.monotonic();
  await client.delete(Widget, key);
  await moveClockUntil(clock, async () => (await finalizersOf(key)) === undefined);
  expect(at.map((moment) => moment - start)).toEqual([0, 5, 15]);
  expect(lines.map((line) => (JSON.parse(line) as { requeueAfter: string }).requeueAfter)).toEqual([
    "0s",
    "0s",
  ]);
});
