import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { parse } from "yaml";
import type { Kubeconfig } from "../../../src/cluster/auth/credentials.ts";
import { send } from "../../../src/cluster/testing/send.ts";
import { builtCommand } from "./load/built-command.ts";
import type { LoopStops } from "./load/loop-monitor.ts";

/**
 * The embedded cluster under load, as it is installed (`npm run build` first): memory while a large object is updated, and
 * latency and stops of the event loop beside full lists, in each form that clients ask for.
 */

/** A cluster in a process of its own, and how long its event loop stopped since it was asked the last time. */
interface RunningCluster {
  readonly kubeconfig: Kubeconfig;
  readonly pid: number;
  readonly loopStops: () => Promise<LoopStops>;
}

/** How a client asks for all objects. */
interface Reading {
  readonly query?: string;
  readonly accept?: string;
}

const readings: Readonly<Record<string, Reading>> = {
  "full lists": {},
  Tables: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
  "metadata only": { accept: "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io" },
  "lists by label": { query: "?labelSelector=even%3Dtrue" },
  YAML: { accept: "application/yaml" },
  "initial events of watches": { query: "?watch=1&timeoutSeconds=1" },
};
const command = builtCommand();
const readingSeconds = Number(process.env["BENCH_SECONDS"] ?? 15);

const configMaps = "/api/v1/namespaces/default/configmaps";
const objectCount = Number(process.env["BENCH_OBJECTS"] ?? 20_000);
const updateCount = Number(process.env["BENCH_UPDATES"] ?? 3000);

async function withCluster(
  nodeOptions: readonly string[],
  run: (cluster: RunningCluster) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  const path = join(folder, "kubeconfig");
  const child = spawn(process.execPath, [...nodeOptions, command, "cluster", "start", "--kubeconfig", path], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const ended = once(child, "exit");
  const loopStops = async (): Promise<LoopStops> => {
    const answered = once(child, "message") as Promise<[LoopStops]>;
    child.send("how long?");
    return (await answered)[0];
  };
  try {
    // The first line says that it is ready.
    await Promise.race([once(child.stdout!, "data"), ended]);
    const kubeconfig = parse(readFileSync(path, "utf8")) as Kubeconfig;
    await run({ kubeconfig, pid: child.pid!, loopStops });
  } finally {
    child.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true });
  }
}

/** In megabytes; 0 if the system does not report it. */
function memoryOf(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

async function measureMemory({ kubeconfig, pid }: RunningCluster): Promise<void> {
  const before = memoryOf(pid);
  let most = before;
  await put(kubeconfig, "POST", configMaps, { name: "large" }, { text: "" });
  for (let index = 0; index < updateCount; index++) {
    const data = { text: String(index).padEnd(200_000, "x") };
    await put(kubeconfig, "PUT", `${configMaps}/large`, { name: "large" }, data);
    most = Math.max(most, memoryOf(pid));
  }
  console.log(
    `${updateCount} updates of 200 kB: ${before.toFixed(0)} MB before, at most ${most.toFixed(0)} MB   goal < 200`,
  );
}

async function measureLatency({ kubeconfig, loopStops }: RunningCluster): Promise<void> {
  const data = { text: "x".repeat(1000) };
  let next = 0;
  const create = async (): Promise<void> => {
    while (next < objectCount) {
      const index = next++;
      await put(
        kubeconfig,
        "POST",
        configMaps,
        { name: `c-${index}`, labels: { even: String(index % 2 === 0) } },
        data,
      );
    }
  };
  await Promise.all(Array.from({ length: 16 }, create));
  const readyz = async (): Promise<number> => {
    const start = performance.now();
    await send(kubeconfig, { method: "GET", path: "/readyz" });
    return performance.now() - start;
  };
  report("/readyz alone", [await readyz(), await readyz(), await readyz()]);
  for (const [what, reading] of Object.entries(readings)) {
    // Clients in other processes, so that this one is not busy reading.
    const readers = Array.from({ length: 3 }, () => spawnReader(kubeconfig, reading));
    await Promise.all(readers.map((reader) => once(reader.stdout, "data")));
    await loopStops();
    const times: number[] = [];
    for (const end = performance.now() + readingSeconds * 1000; performance.now() < end; await delay(10)) {
      times.push(await readyz());
    }
    const { longest, p99, worked, collected } = await loopStops();
    for (const reader of readers) reader.kill();
    report(`/readyz beside three clients with ${what} of ${objectCount}`, times);
    console.log(
      `  the event loop stopped for at most ${longest.toFixed(1)} ms (p99 ${p99.toFixed(1)} ms), and worked for at most ${worked.toFixed(1)} ms of one stop; garbage: ${collected.toFixed(1)} ms   goal < 50`,
    );
  }
}

/** Reads full lists in an endless loop, and prints a line for each. */
function spawnReader(kubeconfig: Kubeconfig, { query = "", accept = "application/json" }: Reading) {
  const url = new URL(kubeconfig.clusters[0].cluster.server);
  const code = `
    const { request } = require("node:https");
    const read = () => request({
      host: ${JSON.stringify(url.hostname)}, port: ${url.port}, path: ${JSON.stringify(configMaps + query)},
      rejectUnauthorized: false, headers: { Authorization: "Bearer ${kubeconfig.users[0].user.token}", Accept: ${JSON.stringify(accept)} },
    }, (response) => response.resume().on("end", () => { console.log("read"); read(); })).end();
    read();`;
  return spawn(process.execPath, ["-e", code], { stdio: ["ignore", "pipe", "inherit"] });
}

function report(what: string, times: readonly number[]): void {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!.toFixed(1);
  console.log(`${what}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, at most ${at(1)} ms   goal < 50`);
}

async function put(
  kubeconfig: Kubeconfig,
  method: string,
  path: string,
  metadata: object,
  data: object,
): Promise<void> {
  const { code, text } = await send(kubeconfig, { method, path, body: { metadata, data } });
  if (code >= 300) throw new Error(text);
}

// Being measured takes memory, too.
await withCluster([], measureMemory);
const monitor = join(import.meta.dirname, "load/loop-monitor.ts");
await withCluster(["--import", "tsx", "--import", monitor], measureLatency);
