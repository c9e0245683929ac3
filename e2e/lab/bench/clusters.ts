/**
 * One operator in three clusters, one of which stops answering: from a change to its status in the two others, p50 and p99,
 * beside rounds in which all three answer; over all rounds, as a single p99 is mostly noise.
 * Run: [OBJECTS=200] [ROUNDS=20] npm run lab -- bench clusters
 */
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { type Cluster, createClient, createLogger, loadConfig, Manager } from "@tsbuilder/runtime";
import { createCache } from "@tsbuilder/runtime/advanced";
import { startFaultProxy } from "@tsbuilder/runtime/testing";
import { Widget, widgetDefinition } from "../../support/runtime/widget-kinds.ts";
import { percentile } from "./side-by-side/statistics.ts";

const objects = Number(process.env["OBJECTS"] ?? 200);
const rounds = Number(process.env["ROUNDS"] ?? 20);

const servers = await Promise.all(["home", "east", "west"].map(() => startTestCluster()));
for (const server of servers) await server.installCRDs(widgetDefinition);
const [home, east, west] = await Promise.all(
  servers.map(({ kubeconfig }) => loadConfig({ kubeconfig, env: {} })),
);
const proxy = await startFaultProxy(west!);

const manager = new Manager({ name: "clusters", config: home!, logger: createLogger({ write() {} }) });
for (const cluster of [manager, manager.addCluster("east", east!), manager.addCluster("west", proxy.config)])
  setup(cluster);
const ended = manager.start();
await manager.started;

const observed = await Promise.all([home!, east!].map(observe));
try {
  const waits = { hangs: [] as number[], answers: [] as number[] };
  // The first round warms up.
  for (let round = 0; round <= rounds; round++) {
    for (const third of round % 2 ? (["hangs", "answers"] as const) : (["answers", "hangs"] as const)) {
      proxy.connections = third === "hangs" ? "hang" : "pass";
      proxy.cut();
      const found = (await Promise.all(observed.map((cluster) => cluster.round()))).flat();
      if (round > 0) waits[third].push(...found);
    }
  }
  for (const share of [50, 99]) {
    const [hangs, answers] = [percentile(waits.hangs, share), percentile(waits.answers, share)];
    console.log(
      `event to status p${share}: ${hangs.toFixed(2)} ms while one hangs, ${answers.toFixed(2)} ms while all answer: ${(hangs / answers).toFixed(2)}x`,
    );
  }
} finally {
  for (const cluster of observed) await cluster.close();
  manager.stop();
  await ended;
  await proxy.close();
  await Promise.all(servers.map((server) => server.stop()));
}

function setup(cluster: Cluster): void {
  cluster.controllerFor(Widget).complete({
    async reconcile(request) {
      const widget = await cluster.client.find(Widget, request);
      if (!widget || widget.status?.ready === widget.spec.size) return;
      await cluster.client.patchStatus(Widget, widget, { ready: widget.spec.size ?? 0 });
    },
  });
}

/** Changes the objects of a cluster one after the other, and waits for the status of each. */
async function observe(config: Awaited<ReturnType<typeof loadConfig>>) {
  const client = createClient(config, { fieldManager: "bench" });
  const cache = createCache(client);
  cache.start();
  const waiting = new Map<number, () => void>();
  cache.informer(Widget).subscribe(({ object }) => waiting.get(object.status?.ready ?? 0)?.());
  let size = 0;
  return {
    async round(): Promise<number[]> {
      const waits: number[] = [];
      for (let index = 0; index < objects; index++) {
        const now = ++size;
        const answered = new Promise<void>((resolve) => waiting.set(now, resolve));
        const began = performance.now();
        await client.apply(Widget, {
          metadata: { namespace: "default", name: `w${index}` },
          spec: { size: now },
        });
        await answered;
        waiting.delete(now);
        waits.push(performance.now() - began);
      }
      return waits;
    },
    async close(): Promise<void> {
      await cache.stop();
      await client.close();
    },
  };
}
