import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { parse } from "yaml";
import type { Kubeconfig } from "../../src/cluster/auth/kubeconfig.ts";
import { send } from "../../src/cluster/testing/send.ts";

/**
 * The embedded cluster under load, as it is installed (`npm run build` first): memory while a large object is updated, and
 * latency beside full lists.
 */

const configMaps = "/api/v1/namespaces/default/configmaps";
const objectCount = Number(process.env["BENCH_OBJECTS"] ?? 20_000);
const updateCount = Number(process.env["BENCH_UPDATES"] ?? 3000);

async function withCluster(run: (kubeconfig: Kubeconfig, pid: number) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  const command = join(import.meta.dirname, "../../bin/tsbuilder.js");
  const path = join(folder, "kubeconfig");
  const child = spawn(process.execPath, [command, "cluster", "start", "--kubeconfig", path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  try {
    // The first line says that it is ready.
    await Promise.race([once(child.stdout, "data"), ended]);
    await run(parse(readFileSync(path, "utf8")) as Kubeconfig, child.pid!);
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

async function measureMemory(kubeconfig: Kubeconfig, pid: number): Promise<void> {
  const before = memoryOf(pid);
  let most = before;
  await put(kubeconfig, "POST", configMaps, "large", { text: "" });
  for (let index = 0; index < updateCount; index++) {
    const data = { text: String(index).padEnd(200_000, "x") };
    await put(kubeconfig, "PUT", `${configMaps}/large`, "large", data);
    most = Math.max(most, memoryOf(pid));
  }
  console.log(
    `${updateCount} updates of 200 kB: ${before.toFixed(0)} MB before, at most ${most.toFixed(0)} MB   goal < 200`,
  );
}

async function measureLatency(kubeconfig: Kubeconfig): Promise<void> {
  const data = { text: "x".repeat(1000) };
  let next = 0;
  const create = async (): Promise<void> => {
    while (next < objectCount) await put(kubeconfig, "POST", configMaps, `c-${next++}`, data);
  };
  await Promise.all(Array.from({ length: 16 }, create));
  const readyz = async (): Promise<number> => {
    const start = performance.now();
    await send(kubeconfig, { method: "GET", path: "/readyz" });
    return performance.now() - start;
  };
  report("/readyz alone", [await readyz(), await readyz(), await readyz()]);
  // Clients in other processes, so that this one is not busy reading.
  const readers = Array.from({ length: 3 }, () => spawnReader(kubeconfig));
  await Promise.all(readers.map((reader) => once(reader.stdout, "data")));
  const times: number[] = [];
  for (const end = performance.now() + 15_000; performance.now() < end; await delay(10)) {
    times.push(await readyz());
  }
  for (const reader of readers) reader.kill();
  report(`/readyz beside three full lists of ${objectCount}`, times);
}

/** Reads full lists in an endless loop, and prints a line for each. */
function spawnReader(kubeconfig: Kubeconfig) {
  const url = new URL(kubeconfig.clusters[0].cluster.server);
  const code = `
    const { request } = require("node:https");
    const read = () => request({
      host: ${JSON.stringify(url.hostname)}, port: ${url.port}, path: ${JSON.stringify(configMaps)},
      rejectUnauthorized: false, headers: { Authorization: "Bearer ${kubeconfig.users[0].user.token}" },
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
  name: string,
  data: object,
): Promise<void> {
  const { code, text } = await send(kubeconfig, { method, path, body: { metadata: { name }, data } });
  if (code >= 300) throw new Error(text);
}

await withCluster(measureMemory);
await withCluster(measureLatency);
