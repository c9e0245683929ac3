import net from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import {
  type ClusterConfig,
  createClient,
  createLogger,
  defineKind,
  type KubernetesObject,
  loadConfig,
  Manager,
} from "@tsbuilder/runtime";
import { createCache } from "@tsbuilder/runtime/advanced";
import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { startControlPlane } from "./control-plane.ts";
import { findBinaries } from "./control-plane-binaries.ts";
import { ownPort } from "../../support/own-port.ts";

interface ConfigMap extends KubernetesObject {
  data?: { [key: string]: string };
}
const ConfigMap = defineKind<ConfigMap>(
  { group: "", version: "v1" },
  { kind: "ConfigMap", plural: "configmaps" },
);
const binaries = findBinaries({ build: false });

test.skipIf("missing" in binaries)(
  "an informer resumes its watch after half a minute without the real server",
  async () => {
    if ("missing" in binaries) return;
    const control = await startControlPlane(binaries.folder);
    onTestFinished(() => control.stop());
    const direct = await loadConfig({ kubeconfig: control.kubeconfig, env: {} });
    const path = await startPath(new URL(direct.server));
    const user = createClient(direct);
    const operator = createClient({ ...direct, server: path.url });
    const cache = createCache(operator);
    onTestFinished(async () => {
      await cache.stop();
      await operator.close();
      await user.close();
      path.cut();
    });
    const informer = cache.informer(ConfigMap);
    cache.start();
    await informer.synced();
    const key = (name: string): { namespace: string; name: string } => ({ namespace: "default", name });
    for (const name of ["kept", "changed", "deleted"]) await user.create(ConfigMap, { metadata: key(name) });
    await eventually(() => expect(informer.get(key("deleted"))).toBeDefined());
    const events: string[] = [];
    informer.subscribe(({ type, object }) => void events.push(`${type} ${object.metadata.name}`));
    // A new subscriber is told of the objects that exist, not always at once.
    const present = ["add kept", "add changed", "add deleted"];
    await eventually(() => expect(events).toEqual(expect.arrayContaining(present)));
    events.length = 0;

    path.cut();
    await user.create(ConfigMap, { metadata: key("created") });
    await user.patch(ConfigMap, key("changed"), { merge: { data: { a: "1" } } });
    await user.delete(ConfigMap, key("deleted"));
    await delay(30_000);
    expect(informer.stats.lastError).toMatchObject({ isUnreachable: true });
    await path.mend();

    await eventually(() => expect(events).toHaveLength(3));
    expect(events).toEqual(["add created", "update changed", "delete deleted"]);
    expect(informer.stats.relists).toBe(0);
    expect(informer.stats.lastError).toBeUndefined();
  },
);

test.skipIf("missing" in binaries)(
  "a leader survives a short outage; after half a minute without a server it has exited, and another leads",
  async () => {
    if ("missing" in binaries) return;
    const control = await startControlPlane(binaries.folder);
    onTestFinished(() => control.stop());
    const direct = await loadConfig({ kubeconfig: control.kubeconfig, env: {} });
    const path = await startPath(new URL(direct.server));
    onTestFinished(() => path.cut());
    const user = createClient(direct);
    onTestFinished(() => user.close());
    const key = { namespace: "default", name: "task" };
    await user.create(ConfigMap, { metadata: key, data: { wanted: "0" } });
    const order = (wanted: string): Promise<unknown> =>
      user.patch(ConfigMap, key, { merge: { data: { wanted } } });
    const isDone = async (by: string, what: string): Promise<void> =>
      expect((await user.get(ConfigMap, key)).data).toMatchObject({ done: what, by });

    const first = startOperator("first", { ...direct, server: path.url });
    await eventually(() => isDone("first", "0"));
    const second = startOperator("second", { ...direct, server: path.url });
    await eventually(() => expect(second.manager.cache.informers[0]?.hasSynced).toBe(true));

    path.cut();
    await order("1");
    await delay(4000);
    await path.mend();
    await eventually(() => isDone("first", "1"));

    path.cut();
    await order("2");
    await expect(first.end).rejects.toThrow(/could not be renewed in time/);
    await delay(30_000 - 10_000);
    await path.mend();
    await eventually(() => isDone("second", "2"));
    second.manager.stop();
    await second.end;
  },
);

/** Applies the command in a ConfigMap and records its own identity, with the default times of leader election. */
function startOperator(name: string, config: ClusterConfig): { manager: Manager; end: Promise<void> } {
  const manager = new Manager({
    name,
    config,
    logger: createLogger({ write() {} }),
    leaderElection: { id: "outage", namespace: "default", identity: name },
    cache: { namespaces: ["default"] },
  });
  manager
    .controllerFor(ConfigMap, { predicates: [({ object }) => object.metadata.name === "task"] })
    .complete({
      async reconcile(request) {
        const task = await manager.client.find(ConfigMap, request);
        const wanted = task?.data?.["wanted"];
        if (!task || wanted === undefined || task.data?.["done"] === wanted) return;
        await manager.client.patch(ConfigMap, task, { merge: { data: { done: wanted, by: name } } });
      },
    });
  const end = manager.start();
  end.catch(() => {});
  onTestFinished(async () => {
    manager.stop();
    await end.catch(() => {});
  });
  return { manager, end };
}

/** A proxy in front of a server that can be cut and restored. */
async function startPath(server: URL): Promise<{ url: string; cut(): void; mend(): Promise<void> }> {
  const sockets = new Set<net.Socket>();
  const open = (port: number): Promise<net.Server> =>
    new Promise((resolve) => {
      const path = net.createServer((socket) => {
        const upstream = net.connect(Number(server.port), server.hostname);
        socket.pipe(upstream).pipe(socket);
        for (const each of [socket, upstream]) sockets.add(each.on("error", () => each.destroy()));
      });
      path.listen(port, "127.0.0.1", () => resolve(path));
    });
  const port = await ownPort();
  let path = await open(port);
  return {
    url: `${server.protocol}//127.0.0.1:${port}`,
    cut() {
      path.close();
      for (const socket of sockets) socket.destroy();
      sockets.clear();
    },
    async mend() {
      path = await open(port);
    },
  };
}
