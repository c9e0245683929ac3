/**
 * An operator under churn: objects are created, changed and deleted, its connections break all the time, and its API
 * server is killed and restarted. Its heap, sockets and timers must not grow.
 * Run: [LOGS=1] npm run lab -- soak [seconds]
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import net, { type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  ApiError,
  type CustomResource,
  createClient,
  createLogger,
  defineKind,
  type KubernetesObject,
  loadConfig,
  Manager,
} from "@tsbuilder/runtime";
import { resetSocket } from "../../../src/runtime/testing/fault-proxy.ts";

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

/** How often the API server is killed. */
const restartAfter = 60_000;

const folder = mkdtempSync(join(tmpdir(), "tsbuilder-soak-"));
let cluster = startCluster();
const direct = await configOf(cluster);
const proxy = await startBreakingProxy(new URL(direct.server));
const config = { ...direct, server: proxy.url };
const user = createClient(config, { fieldManager: "user" });

const manager = new Manager({
  name: "churn",
  config,
  webhooks: { enabled: false },
  metrics: { bindAddress: "127.0.0.1:0" },
  // On a busy machine a server needs a minute to restart.
  leaderElection: { id: "churn", namespace: "default", leaseDuration: "5m", renewDeadline: "4m" },
  // Connections are broken on purpose, which would log thousands of lines.
  logger: createLogger({ level: "warn", ...(process.env["LOGS"] ? {} : { write() {} }) }),
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
await manager.started;

const samples: Sample[] = [];
const begin = performance.now();
const end = begin + seconds * 1000;
let restartAt = begin + restartAfter;
let restarts = 0;
let round = 0;
while (performance.now() < end) {
  await churn(round++);
  if (round % 3 === 0) proxy.breakSome();
  if (round % 5 === 0) samples.push(await sample());
  if (performance.now() > restartAt) await restart();
}
const settled = await converge();
manager.stop();
await running;
await user.close();
cluster.kill();
proxy.close();
rmSync(folder, { recursive: true, force: true });
process.exitCode = report() && settled ? 0 : 1;

function startCluster(): ChildProcess {
  return fork(new URL("cluster-process.ts", import.meta.url), [join(folder, "data")]);
}

async function configOf(child: ChildProcess): ReturnType<typeof loadConfig> {
  const [kubeconfig] = (await once(child, "message")) as [
    NonNullable<Parameters<typeof loadConfig>[0]>["kubeconfig"],
  ];
  return loadConfig({ kubeconfig, env: {} });
}

/** The server is killed as by a failing node, and a new one starts with the same objects. */
async function restart(): Promise<void> {
  cluster.kill("SIGKILL");
  await once(cluster, "exit");
  cluster = startCluster();
  proxy.leadTo(new URL((await configOf(cluster)).server));
  restarts++;
  restartAt = performance.now() + restartAfter;
}

/** Fifty objects a round: some new, some changed, some deleted. */
async function churn(round: number): Promise<void> {
  const key = (at: number): { namespace: string; name: string } => ({
    namespace: "default",
    name: `churn-${at}`,
  });
  await Promise.all(
    Array.from({ length: 50 }, async (_, at) => {
      const which = (round * 50 + at) % 200;
      try {
        if ((round + at) % 7 === 0) await user.delete(Churn, key(which));
        else await user.apply(Churn, { metadata: key(which), spec: { value: round } });
      } catch (error) {
        // Users' connections break too.
        if (!(error instanceof ApiError && error.isUnreachable)) throw error;
      }
    }),
  );
  await delay(50);
}

interface Sample {
  readonly heap: number;
  readonly resident: number;
  readonly sockets: number;
  readonly timers: number;
}

async function sample(): Promise<Sample> {
  await delay(100);
  await (await fetch(`http://${manager.addresses.metrics}/metrics`)).text();
  collectGarbage();
  const resources = process.getActiveResourcesInfo();
  return {
    heap: process.memoryUsage().heapUsed / 1024 / 1024,
    resident: process.memoryUsage.rss() / 1024 / 1024,
    sockets: resources.filter((name) => name === "TCPSocketWrap").length,
    timers: resources.filter((name) => name === "Timeout").length,
  };
}

/**
 * At the end every status matches its spec, whatever broke on the way. A request that failed throughout an outage of
 * a minute is retried a minute or two later, as with controller-runtime's backoff.
 */
async function converge(): Promise<boolean> {
  let behind: string[] = [];
  for (const deadline = performance.now() + 240_000; performance.now() < deadline; await delay(1000)) {
    const churns = await user.list(Churn);
    behind = churns
      .filter(({ spec, status }) => spec.value !== status?.value)
      .map(({ metadata, spec, status }) => `${metadata.name}: ${status?.value}, not ${spec.value}`);
    if (churns.length > 0 && behind.length === 0) {
      console.log(`${churns.length} objects have converged`);
      return true;
    }
  }
  console.log(`some objects never converged: ${behind.join("; ")}`);
  return false;
}

/** Compares the second third with the last: the first is warm-up. */
function report(): boolean {
  const third = Math.floor(samples.length / 3);
  const mean = (part: readonly Sample[], what: keyof Sample): number =>
    part.reduce((sum, each) => sum + each[what], 0) / part.length;
  console.log(
    `${seconds} s, ${round} rounds, ${reconciles} reconciles, ${restarts} restarts, node ${process.version}`,
  );
  let isFine = third > 0;
  for (const [what, slack] of [
    ["heap", 4],
    ["resident", 20],
    ["sockets", 8],
    ["timers", 20],
  ] as const) {
    const [before, after] = [mean(samples.slice(third, 2 * third), what), mean(samples.slice(-third), what)];
    const grows = after > before * 1.15 + slack;
    const tenths = Array.from({ length: 10 }, (_, tenth) =>
      mean(samples.slice((tenth * samples.length) / 10, ((tenth + 1) * samples.length) / 10), what),
    );
    const course = tenths.map((value) => value.toFixed(0)).join(" ");
    console.log(`${what}: ${before.toFixed(1)} → ${after.toFixed(1)} (${course})${grows ? "  GROWS" : ""}`);
    isFine &&= !grows;
  }
  return isFine;
}

/** Forwards bytes to the server, and breaks every third connection on request. */
async function startBreakingProxy(server: URL): Promise<{
  url: string;
  breakSome: () => void;
  leadTo: (other: URL) => void;
  close: () => void;
}> {
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
  return {
    url: `${server.protocol}//127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    breakSome() {
      [...sockets].forEach((socket, at) => at % 3 === 0 && resetSocket(socket));
    },
    leadTo(other) {
      server = other;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      proxy.close();
    },
  };
}
