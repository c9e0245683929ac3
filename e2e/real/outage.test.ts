import net, { type AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { createCache, createClient, defineKind, type KubernetesObject, loadConfig } from "@tsbuilder/runtime";
import { eventually } from "@tsbuilder/runtime/testing";
import { expect, onTestFinished, test } from "vitest";
import { startControlPlane } from "./control-plane.ts";
import { findBinaries } from "./control-plane-binaries.ts";

interface ConfigMap extends KubernetesObject {
  data?: { [key: string]: string };
}
const ConfigMap = defineKind<ConfigMap>(
  { group: "", version: "v1" },
  { kind: "ConfigMap", plural: "configmaps" },
);
const binaries = findBinaries({ build: false });

test.skipIf("missing" in binaries)(
  "an informer goes on where it was after half a minute without the real server",
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
    events.length = 0;

    path.cut();
    await user.create(ConfigMap, { metadata: key("created") });
    await user.patch(ConfigMap, key("changed"), { merge: { data: { a: "1" } } });
    await user.delete(ConfigMap, key("deleted"));
    await delay(30_000);
    expect(informer.stats.lastError).toMatchObject({ isUnreachable: true });
    await path.mend();

    await eventually(() => expect(events).toHaveLength(3), { timeout: 60_000 });
    expect(events).toEqual(["add created", "update changed", "delete deleted"]);
    expect(informer.stats.relists).toBe(0);
    expect(informer.stats.lastError).toBeUndefined();
  },
);

/** A way to a server that can be cut and mended. */
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
  let path = await open(0);
  const { port } = path.address() as AddressInfo;
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
