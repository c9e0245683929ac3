import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test } from "vitest";
import { useWidgetCluster, Widget, type WidgetCluster } from "../../../e2e/support/runtime/widget-cluster.ts";
import { loadConfig } from "../config/load-config.ts";
import type { NamespacedName } from "../client/client.ts";
import type { Reconciler } from "../controller/reconciler.ts";
import { createLogger } from "../log/logger.ts";
import { eventually } from "../testing/eventually.ts";
import { startFaultProxy } from "../testing/fault-proxy.ts";
import type { Cluster } from "./cluster.ts";
import { Manager } from "./manager.ts";
import type { ManagerOptions } from "./manager-options.ts";

const home = useWidgetCluster();
const east = useWidgetCluster();
const west = useWidgetCluster();

const configOf = ({ kubeconfig }: WidgetCluster) => loadConfig({ kubeconfig, env: {} });

/** A manager of the home cluster, and what it logged. */
function makeManager(options: Partial<ManagerOptions> = {}) {
  const lines: Record<string, unknown>[] = [];
  const manager = new Manager({
    name: "test",
    config: () => configOf(home),
    logger: createLogger({ write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) }),
    gracefulShutdownTimeout: "5s",
    ...options,
  });
  return { manager, lines };
}

/** Starts it; the end of the test stops it. */
async function start(manager: Manager): Promise<void> {
  const end = manager.start();
  end.catch(() => {});
  onTestFinished(async () => {
    manager.stop();
    await end;
  });
  await manager.started;
}

/** Copies the size of each Widget to its status: the same for any cluster. */
function setup(cluster: Cluster): void {
  const reconciler: Reconciler<NamespacedName> = {
    async reconcile(request, { events }) {
      const widget = await cluster.client.find(Widget, request);
      if (!widget) return;
      await cluster.client.patchStatus(Widget, widget, { ready: widget.spec.size ?? 0 });
      events.normal(widget, "Copied", "The size was copied");
    },
  };
  cluster.controllerFor(Widget).complete(reconciler);
}

const readyOf = async ({ client }: WidgetCluster, widget: Widget) =>
  (await client.get(Widget, widget.metadata as { namespace: string; name: string })).status?.ready;

test("one setup function works in the manager's own cluster and in each that was added, before its start or later", async () => {
  const { manager, lines } = makeManager();
  const widgets = [
    await home.create({ size: 1 }),
    await east.create({ size: 2 }),
    await west.create({ size: 3 }),
  ];
  setup(manager);
  setup(manager.addCluster("east", await configOf(east)));
  await start(manager);
  setup(manager.addCluster("west", () => configOf(west)));
  for (const [index, cluster] of [home, east, west].entries())
    await eventually(async () => expect(await readyOf(cluster, widgets[index]!)).toBe(index + 1));
  expect([...manager.clusters.keys()]).toEqual(["east", "west"]);
  const named = lines.filter(({ controller }) => controller === "widget");
  expect(new Set(named.map(({ cluster }) => cluster))).toEqual(new Set([undefined, "east", "west"]));
  await eventually(async () => {
    const path = "/apis/events.k8s.io/v1/namespaces/default/events";
    const { items } = JSON.parse((await east.client.request({ path })).text) as {
      items: { regarding: { uid: string } }[];
    };
    expect(items.map(({ regarding }) => regarding.uid)).toContain(widgets[1]!.metadata.uid);
  });
});

test("a cluster that never answers delays neither the start, nor the other clusters, nor the end", async () => {
  const { manager, lines } = makeManager({ healthProbeBindAddress: "127.0.0.1:0" });
  const proxy = await startFaultProxy(await configOf(east));
  onTestFinished(() => proxy.close());
  proxy.connections = "hang";
  setup(manager);
  setup(manager.addCluster("east", proxy.config));
  setup(manager.addCluster("west", await configOf(west)));
  await start(manager);
  const [waiting, widget] = [await east.create({ size: 5 }), await west.create({ size: 6 })];
  await eventually(async () => expect(await readyOf(west, widget)).toBe(6));
  expect((await fetch(`http://${manager.addresses.probes}/readyz`)).status).toBe(200);
  expect(await readyOf(east, waiting)).toBeUndefined();

  // The cluster is added once it answers.
  proxy.connections = "pass";
  proxy.cut();
  await eventually(async () => expect(await readyOf(east, waiting)).toBe(5));
  proxy.connections = "hang";
  proxy.cut();
  await eventually(() =>
    expect(lines).toContainEqual(expect.objectContaining({ cluster: "east", kind: "Widget" })),
  );
});

test("a cluster that was removed gets no more requests, and can be added again", async () => {
  const { manager } = makeManager({ metrics: { bindAddress: "127.0.0.1:0" } });
  const proxy = await startFaultProxy(await configOf(east));
  onTestFinished(() => proxy.close());
  const cluster = manager.addCluster("east", proxy.config);
  setup(cluster);
  await start(manager);
  const widget = await east.create({ size: 1 });
  await eventually(async () => expect(await readyOf(east, widget)).toBe(1));
  const metrics = async () => (await fetch(`http://${manager.addresses.metrics}/metrics`)).text();
  expect(await metrics()).toContain('controller="east/widget"');

  await cluster.remove();
  await eventually(() => expect(proxy.open).toBe(0));
  expect(manager.clusters.size).toBe(0);
  expect(await metrics()).not.toContain("east/widget");
  await cluster.remove();

  setup(manager.addCluster("east", proxy.config));
  await east.client.patch(Widget, widget, { merge: { spec: { size: 2 } } });
  await eventually(async () => expect(await readyOf(east, widget)).toBe(2));
});

test("a cluster is removed when its running reconciles have ended, which the time to stop limits", async () => {
  const { manager } = makeManager({ gracefulShutdownTimeout: "100ms" });
  const cluster = manager.addCluster("east", await configOf(east));
  const told: string[] = [];
  cluster.controllerFor(Widget).complete({
    async reconcile(_, { signal }) {
      told.push("begun");
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      told.push("aborted");
    },
  });
  await start(manager);
  await east.create();
  await eventually(() => expect(told).toContain("begun"));
  await cluster.remove();
  expect(told.filter((one) => one === "begun")).toHaveLength(told.filter((one) => one === "aborted").length);
});

test("a controller of the own cluster watches a kind of another one", async () => {
  const { manager } = makeManager();
  const seen: string[] = [];
  const controller = manager
    .controllerFor(Widget)
    .complete({ reconcile: ({ name }) => void seen.push(name) });
  const cluster = manager.addCluster("east", await configOf(east));
  await start(manager);
  const widget = await east.create();
  const watch = controller.watch(Widget, () => [{ namespace: "elsewhere", name: "owner" }], { cluster });
  await watch.synced;
  await eventually(() => expect(seen).toContain("owner"));
  expect(seen).not.toContain(widget.metadata.name);
});

test("a manager that holds no lease works in no cluster, and nothing of it is left when it was never started", async () => {
  const { manager } = makeManager({ leaderElection: { id: "held.example.com", namespace: "default" } });
  const spec = {
    holderIdentity: "another",
    leaseDurationSeconds: 3600,
    renewTime: "2100-01-01T00:00:00.000000Z",
  };
  await home.client.request({
    method: "POST",
    path: "/apis/coordination.k8s.io/v1/namespaces/default/leases",
    body: { metadata: { name: "held.example.com" }, spec },
  });
  const widget = await east.create({ size: 9 });
  const cluster = manager.addCluster("east", await configOf(east));
  setup(cluster);
  const end = manager.start();
  // Its cache is filled, so that a takeover is fast.
  await eventually(() => expect(cluster.cache.informers.map(({ hasSynced }) => hasSynced)).toEqual([true]));
  expect(await readyOf(east, widget)).toBeUndefined();
  manager.stop();
  await end;
  expect(manager.clusters.size).toBe(0);
});

test("a config that never comes delays no end, and one that could not be loaded is asked for again", async () => {
  const { manager } = makeManager({ gracefulShutdownTimeout: "-1s" });
  const hanging = manager.addCluster("hanging", () => new Promise(() => {}));
  setup(hanging);
  let calls = 0;
  const late = manager.addCluster("late", async () => {
    if (++calls === 1) throw new Error("not yet");
    return configOf(east);
  });
  setup(late);
  await start(manager);
  const widget = await east.create({ size: 4 });
  await eventually(async () => expect(await readyOf(east, widget)).toBe(4));
  await hanging.remove();
  expect([...manager.clusters.keys()]).toEqual(["late"]);
  expect(() => setup(hanging)).toThrow("its cluster was removed");
});

test("a source that fails ends its controller, and no other of this or another cluster", async () => {
  const { manager, lines } = makeManager();
  const cluster = manager.addCluster("east", await configOf(east));
  setup(cluster);
  const source = { name: "broken", start: () => Promise.reject(new Error("boom")) };
  cluster
    .controllerOf(String)
    .named("broken")
    .watchesSource(source)
    .complete({ reconcile() {} });
  await start(manager);
  const widget = await east.create({ size: 8 });
  await eventually(async () => expect(await readyOf(east, widget)).toBe(8));
  expect(lines).toContainEqual(expect.objectContaining({ cluster: "east", level: "error", error: "boom" }));
});

test("nothing is kept of clusters that were removed", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const { manager } = makeManager();
  await start(manager);
  const gone: WeakRef<Cluster>[] = [];
  for (let index = 0; index < 5; index++) {
    const cluster = manager.addCluster(`east-${index}`, await configOf(east));
    setup(cluster);
    gone.push(new WeakRef<Cluster>(cluster));
    await cluster.remove();
  }
  await eventually(() => {
    collect();
    // The last one may still be on the stack.
    expect(gone.filter((ref) => ref.deref()).length).toBeLessThanOrEqual(1);
  });
});

test("names must be unique, and end in metrics and logs", () => {
  const { manager } = makeManager();
  manager.addCluster("east", { server: "http://127.0.0.1:1" });
  expect(() => manager.addCluster("east", { server: "http://127.0.0.1:1" })).toThrow(/"east" already/);
  expect(() => manager.addCluster("East/1", { server: "http://127.0.0.1:1" })).toThrow(/lower case/);
});
