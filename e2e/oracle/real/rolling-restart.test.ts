import {
  createClient,
  createLogger,
  defineKind,
  type KubernetesObject,
  loadConfig,
  Manager,
} from "@tsbuilder/runtime";
import { Lease } from "@tsbuilder/runtime/k8s/coordination/v1";
import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { startTcpBalancer } from "../../support/cluster/tcp-balancer.ts";
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
const names = Array.from({ length: 40 }, (_, i) => `task-${i}`);
const workers = 4;

test.skipIf("missing" in binaries).each(["SIGTERM", "SIGKILL"] as const)(
  "a leader keeps its lease and reconciles every object while three API servers restart one after the other: %s",
  async (signal) => {
    if ("missing" in binaries) return;
    const control = await startControlPlane(binaries.folder, { servers: 3 });
    onTestFinished(() => control.stop());
    const balancer = await startTcpBalancer(control.servers.map(({ url }) => url));
    onTestFinished(() => balancer.close());
    const direct = await loadConfig({ kubeconfig: control.kubeconfig, env: {} });
    // The user talks to a server that does not restart.
    const users = control.servers.map(({ url }) => createClient({ ...direct, server: url }));
    onTestFinished(async () => void (await Promise.all(users.map((user) => user.close()))));
    const key = (name: string) => ({ namespace: "default", name });
    for (const name of names) await users[0]!.create(ConfigMap, { metadata: key(name), data: {} });

    const errors: string[] = [];
    const manager = new Manager({
      name: "roller",
      config: { ...direct, server: `https://127.0.0.1:${balancer.port}` },
      logger: createLogger({ write: (line) => void (isError(line) && errors.push(line)) }),
      leaderElection: { id: "rolling", namespace: "default", identity: "roller" },
      cache: { namespaces: ["default"] },
      controllers: { maxConcurrentReconciles: workers },
    });
    manager.controllerFor(ConfigMap).complete({
      async reconcile(request) {
        const task = await manager.client.find(ConfigMap, request);
        const wanted = task?.data?.["wanted"];
        if (!task || wanted === undefined || task.data?.["done"] === wanted) return;
        await manager.client.patch(ConfigMap, task, { merge: { data: { done: wanted } } });
      },
    });
    const end = manager.start();
    end.catch(() => {});
    onTestFinished(async () => {
      manager.stop();
      await end.catch(() => {});
    });
    const lease = async () => (await users[0]!.get(Lease, key("rolling"))).spec;
    await eventually(async () => expect((await lease())?.holderIdentity).toBe("roller"));
    const { leaseTransitions, acquireTime } = (await lease())!;

    let broken = 0;
    for (const [i, server] of control.servers.entries()) {
      const user = users[(i + 1) % users.length]!;
      const load = startLoad((name, wanted) =>
        user.patch(ConfigMap, key(name), { merge: { data: { wanted } } }),
      );
      await load.passed(200);
      broken += balancer.open.get(server.url)!;
      await server.stop(signal);
      await load.passed(200);
      await server.start();
      await load.passed(200);
      await load.stop();
    }

    await eventually(async () => {
      const all = await users[0]!.list(ConfigMap, { namespace: "default" });
      const tasks = all.filter(({ metadata }) => names.includes(metadata.name));
      expect(tasks.map(({ data }) => data?.["done"])).toEqual(tasks.map(({ data }) => data?.["wanted"]));
    });
    expect(await lease()).toMatchObject({ holderIdentity: "roller", leaseTransitions, acquireTime });
    // A broken connection fails one request; what is sent again, or waits for its turn, is no error.
    expect(errors.slice(broken)).toEqual([]);
  },
);

function isError(line: string): boolean {
  return (JSON.parse(line) as { level: string }).level === "error";
}

/** Changes one object after the other, as many at a time as there are workers, until it is stopped. */
function startLoad(change: (name: string, wanted: string) => Promise<unknown>) {
  let count = 0;
  const stopped = new AbortController();
  const run = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      count++;
      await change(names[count % names.length]!, String(count));
    }
  };
  const end = Promise.all(Array.from({ length: workers }, run));
  return {
    /** Resolves after this many more changes. */
    async passed(more: number): Promise<void> {
      const goal = count + more;
      await Promise.race([end, eventually(() => count >= goal)]);
    },
    async stop(): Promise<void> {
      stopped.abort();
      await end;
    },
  };
}
