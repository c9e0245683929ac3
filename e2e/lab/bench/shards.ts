/**
 * Several processes of one operator that share its objects:
 * - scale: reconciles a second, the processor's time of a reconcile, and the memory of a process, for 1, 2 and 3 processes;
 * - waits: how long changes wait for their answers while processes are killed and join, beside leader elections with
 *   the same times, ours and controller-runtime's;
 * - clashes: writes of objects that another process had not given up. There must be none.
 * The server is the embedded one; SERVER=real is kube-apiserver, SERVER=sharded the same with its gate for sharded lists.
 * ALONE=1 leaves out the leader elections.
 * Run: [OBJECTS=600] [ROUNDS=3] [KILLS=4] [EVERY=10] [WORK=2] [SERVER=embedded] [ALONE=1] npm run lab -- bench shards
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { createClient, loadConfig } from "@tsbuilder/runtime";
import { createCache } from "@tsbuilder/runtime/advanced";
import type { ClusterUnderTest } from "../../support/runtime/cluster-under-test.ts";
import { Fleet, type FleetOptions } from "../../support/runtime/fleet.ts";
import { Namespace, Widget, widgetDefinition } from "../../support/runtime/widget-kinds.ts";
import { startControlPlane } from "../../oracle/real/control-plane.ts";
import { findBinaries } from "../../oracle/real/control-plane-binaries.ts";
import { buildTwin } from "./side-by-side/build-operators.ts";
import { percentile } from "./side-by-side/statistics.ts";

const number = (name: string, preset: number): number => Number(process.env[name] ?? preset);
const objects = number("OBJECTS", 600);
const rounds = number("ROUNDS", 3);
const kills = number("KILLS", 4);
const every = number("EVERY", 10) * 1000;
const work = number("WORK", 2);

const server = await startServer(process.env["SERVER"] ?? "embedded");
const { kubeconfig } = server;
const client = createClient(await loadConfig({ kubeconfig, env: {} }), { fieldManager: "bench" });
await client
  .request({
    method: "POST",
    path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    body: widgetDefinition,
  })
  .catch(() => {});
await sleep(2000);
let serial = 0;
const folder = mkdtempSync(join(tmpdir(), "tsbuilder-shards-"));
try {
  for (let round = 0; round < rounds; round++) for (const count of [1, 2, 3]) await scale(count);
  await waits({ mode: "shards" }, "shards");
  if (process.env["ALONE"] === undefined) await leaders();
} finally {
  rmSync(folder, { recursive: true });
  await client.close();
  await server.stop();
}

async function startServer(which: string): Promise<Pick<ClusterUnderTest, "kubeconfig" | "stop">> {
  if (which === "embedded") return startTestCluster();
  const featureGates = { real: [], sharded: ["ShardedListAndWatch"] }[which];
  if (!featureGates) throw new Error(`SERVER is embedded, real or sharded, not "${which}"`);
  const binaries = findBinaries({ build: true });
  if ("missing" in binaries) throw new Error(binaries.missing);
  return startControlPlane(binaries.folder, { featureGates });
}

async function leaders(): Promise<void> {
  await waits({ mode: "leader-elect" }, "leader election");
  const twin = buildTwin(folder, "./elected");
  if (twin) await waits({ mode: "leader-elect", program: twin }, "controller-runtime's leader election");
  else console.log("left out: controller-runtime: Go was not found");
}

interface Run {
  readonly fleet: Fleet;
  /** Changes an object; when it is answered is measured. */
  readonly change: (index: number) => Promise<void>;
  /** Milliseconds from changes to their answers. */
  readonly waits: number[];
  readonly unanswered: () => number;
  readonly close: () => Promise<void>;
}

async function begin(options: Omit<FleetOptions, "namespace">): Promise<Run> {
  const namespace = `bench-${process.pid}-${serial++}`;
  await client.create(Namespace, { metadata: { name: namespace } });
  const fleet = new Fleet(kubeconfig, { ...options, namespace });
  const open = new Map<string, number>();
  const sizes = new Map<string, number>();
  const waits: number[] = [];
  const cache = createCache(client, { namespaces: [namespace] });
  cache.start();
  cache.informer(Widget).subscribe((event) => {
    const { name } = event.object.metadata;
    const since = open.get(name);
    if (since === undefined || event.object.status?.ready !== sizes.get(name)) return;
    open.delete(name);
    waits.push(performance.now() - since);
  });
  const change = async (index: number): Promise<void> => {
    const name = `w${index}`;
    const size = (sizes.get(name) ?? 0) + 1;
    sizes.set(name, size);
    if (!open.has(name)) open.set(name, performance.now());
    fleet.knows(await client.apply(Widget, { metadata: { namespace, name }, spec: { size } }));
  };
  const close = async (): Promise<void> => {
    await fleet.close();
    await cache.stop();
  };
  return { fleet, change, waits, unanswered: () => open.size, close };
}

/** All objects at once, by some processes. */
async function scale(count: number): Promise<void> {
  const { fleet, change, unanswered, close } = await begin({ mode: "shards", leases: "6s,4s,1s", work });
  try {
    for (let index = 0; index < objects; index++) await change(index);
    const processes = [];
    for (let index = 0; index < count; index++) processes.push(await fleet.start());
    while (unanswered() > 0 || fleet.writers.size < count) {
      await sleep(100);
      if (unanswered() === 0 && fleet.writers.size < count)
        for (let index = 0; index < objects; index += 7) await change(index);
    }
    await sleep(5000);
    const before = processes.map(({ child }) => processorTime(child.pid!));
    const began = performance.now();
    for (let at = 0; at < objects; at += 50)
      await Promise.all(Array.from({ length: Math.min(50, objects - at) }, (_, index) => change(at + index)));
    while (unanswered() > 0) await sleep(10);
    const seconds = (performance.now() - began) / 1000;
    const spent = processes.map(({ child }, index) => processorTime(child.pid!) - before[index]!);
    const memory = processes.map(({ child }) => residentMemory(child.pid!).toFixed(0));
    console.log(
      `${count} processes: ${(objects / seconds).toFixed(0)} reconciles/s, ` +
        `${((spent.reduce((sum, one) => sum + one) * 1000) / objects).toFixed(2)} ms of the processor each, ` +
        `${(Math.max(...spent) / (spent.reduce((sum, one) => sum + one) || 1)).toFixed(2)} of it in the busiest process, ` +
        `${memory.join("/")} MB resident`,
    );
  } finally {
    await close();
  }
}

/** Changes that go on while one process is killed again and again, and another is started. */
async function waits(options: Omit<FleetOptions, "namespace">, name: string): Promise<void> {
  const { mode } = options;
  const run = await begin(options);
  const { fleet } = run;
  try {
    for (let index = 0; index < objects; index++) await run.change(index);
    const processes = [await fleet.start(), await fleet.start(), await fleet.start()];
    while (run.unanswered() > 0) await sleep(100);
    await sleep(10_000);
    run.waits.length = 0;
    const over = new AbortController();
    const changing = (async () => {
      for (let index = 0; !over.signal.aborted; index = (index + 1) % objects) {
        await run.change(index);
        await sleep(5);
      }
    })();
    for (let kill = 0; kill < kills; kill++) {
      // The leader is killed, or the process that has been there for longest.
      const leader = [...fleet.writers].at(-1);
      const place = mode === "shards" ? 0 : processes.findIndex(({ name }) => name === leader);
      const [victim] = processes.splice(Math.max(0, place), 1);
      await fleet.end(victim!);
      processes.push(await fleet.start());
      await sleep(every);
    }
    over.abort();
    await changing;
    const left = performance.now();
    while (run.unanswered() > 0 && performance.now() - left < 120_000) await sleep(100);
    const sorted = run.waits.toSorted((a, b) => a - b);
    const show = (share: number): string => `${(percentile(sorted, share * 100) / 1000).toFixed(2)} s`;
    console.log(
      `${name}: ${kills} of 3 processes killed, one each ${every / 1000} s: ${sorted.length} changes answered, ` +
        `${run.unanswered()} not; waits p50 ${show(0.5)}, p90 ${show(0.9)}, p99 ${show(0.99)}, longest ${show(1)}; ` +
        (mode === "shards" ? `${fleet.observer.clashes.length} clashes` : "one leader"),
    );
    for (const clash of fleet.observer.clashes.slice(0, mode === "shards" ? 5 : 0)) console.log(clash);
    if (mode === "shards" && fleet.observer.clashes.length > 0) process.exitCode = 1;
  } finally {
    await run.close();
  }
}

function residentMemory(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

/** Seconds. */
function processorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
