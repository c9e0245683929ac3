/**
 * An operator under churn: objects come, change and go, and its connections break all the time. Its heap, sockets and
 * timers must not grow. Run: node --conditions=@tsbuilder/source --import tsx e2e/soak/runtime-churn.ts [seconds]
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  type CustomResource,
  createClient,
  defineKind,
  type KubernetesObject,
  loadConfig,
  Manager,
} from "@tsbuilder/runtime";

interface Churn extends CustomResource<{ value: number }, { value?: number }> {}
const Churn = defineKind<Churn>(
  { group: "soak.example.com", version: "v1" },
  { kind: "Churn", plural: "churns" },
);
interface ConfigMap extends KubernetesObject {
  data?: { [key: string]: string };
}
const ConfigMap = defineKind<ConfigMap>(
  { group: "", version: "v1" },
  { kind: "ConfigMap", plural: "configmaps" },
);

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
const seconds = Number(process.argv[2] ?? 60);

const cluster = fork(new URL("cluster-process.ts", import.meta.url));
const [kubeconfig] = (await once(cluster, "message")) as [
  NonNullable<Parameters<typeof loadConfig>[0]>["kubeconfig"],
];
const direct = await loadConfig({ kubeconfig, env: {} });
const { url, breakSome } = await startBreakingProxy(new URL(direct.server));
const user = createClient(direct, { fieldManager: "user" });

const manager = new Manager({
  name: "churn",
  config: { ...direct, server: url },
  webhooks: { enabled: false },
  logger: silent(),
});
let reconciles = 0;
manager
  .controllerFor(Churn)
  .owns(ConfigMap)
  .withOptions({ maxConcurrentReconciles: 8 })
  .complete({
    async reconcile(request) {
      reconciles++;
      const churn = await manager.client.find(Churn, request);
      if (!churn) return;
      const { name } = churn.metadata;
      await manager.client.apply(
        ConfigMap,
        { metadata: { name }, data: { value: String(churn.spec.value) } },
        { owner: churn },
      );
      await manager.client.patchStatus(Churn, churn, { value: churn.spec.value });
    },
  });
const running = manager.start();
await manager.cache.synced();

const samples: { heap: number; sockets: number; timers: number }[] = [];
const end = performance.now() + seconds * 1000;
let round = 0;
while (performance.now() < end) {
  await churn(round++);
  if (round % 3 === 0) breakSome();
  if (round % 5 === 0) samples.push(await sample());
}
const settled = await converge();
manager.stop();
await running;
await user.close();
cluster.disconnect();
process.exitCode = report() && settled ? 0 : 1;

/** Fifty objects a round: some new, some changed, some gone. */
async function churn(round: number): Promise<void> {
  const key = (at: number): { namespace: string; name: string } => ({
    namespace: "default",
    name: `churn-${at}`,
  });
  await Promise.all(
    Array.from({ length: 50 }, async (_, at) => {
      const which = (round * 50 + at) % 200;
      if ((round + at) % 7 === 0) {
        await user.delete(Churn, key(which));
      } else {
        await user.apply(Churn, { metadata: key(which), spec: { value: round } });
      }
    }),
  );
  await delay(50);
}

async function sample(): Promise<{ heap: number; sockets: number; timers: number }> {
  await delay(100);
  collectGarbage();
  const resources = process.getActiveResourcesInfo();
  return {
    heap: process.memoryUsage().heapUsed / 1024 / 1024,
    sockets: resources.filter((name) => name === "TCPSocketWrap").length,
    timers: resources.filter((name) => name === "Timeout").length,
  };
}

/** In the end every object has what it asked for, whatever broke on the way. */
async function converge(): Promise<boolean> {
  for (const deadline = performance.now() + 30_000; performance.now() < deadline; await delay(200)) {
    const churns = await user.list(Churn);
    if (churns.length > 0 && churns.every(({ spec, status }) => spec.value === status?.value)) {
      console.log(`${churns.length} objects have converged`);
      return true;
    }
  }
  console.log("some objects never converged");
  return false;
}

/** Compares the second third with the last: the first is warming up. */
function report(): boolean {
  const third = Math.floor(samples.length / 3);
  const mean = (part: typeof samples, what: keyof (typeof samples)[0]): number =>
    part.reduce((sum, each) => sum + each[what], 0) / part.length;
  console.log(`${seconds} s, ${round} rounds, ${reconciles} reconciles, node ${process.version}`);
  let isFine = third > 0;
  for (const [what, slack] of [
    ["heap", 4],
    ["sockets", 8],
    ["timers", 20],
  ] as const) {
    const [before, after] = [mean(samples.slice(third, 2 * third), what), mean(samples.slice(-third), what)];
    const grows = after > before * 1.15 + slack;
    console.log(`${what}: ${before.toFixed(1)} → ${after.toFixed(1)}${grows ? "  GROWS" : ""}`);
    isFine &&= !grows;
  }
  return isFine;
}

/** Passes bytes on to the server, and breaks every third connection when told to. */
async function startBreakingProxy(server: URL): Promise<{ url: string; breakSome: () => void }> {
  const sockets = new Set<net.Socket>();
  const proxy = net.createServer((socket) => {
    const upstream = net.connect(Number(server.port), server.hostname);
    socket.pipe(upstream).pipe(socket);
    for (const each of [socket, upstream]) each.on("error", () => {});
    sockets.add(socket);
    socket.on("close", () => {
      sockets.delete(socket);
      upstream.destroy();
    });
    upstream.on("close", () => socket.destroy());
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  proxy.unref();
  return {
    url: `${server.protocol}//127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    breakSome() {
      [...sockets].forEach((socket, at) => at % 3 === 0 && socket.resetAndDestroy());
    },
  };
}

function silent(): Manager["log"] {
  const log: Manager["log"] = {
    debug() {},
    info() {},
    warn() {},
    error() {},
    with: () => log,
    isEnabled: () => false,
  };
  return log;
}
