import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { Agent, request } from "node:https";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { freePort } from "@tsbuilder/apimachinery/port";
import { startCluster } from "@tsbuilder/cluster";
import { parse } from "yaml";
import type { Kubeconfig } from "../../src/cluster/auth/kubeconfig.ts";
import { startControlPlane } from "../real/control-plane.ts";
import { findBinaries } from "../real/control-plane-binaries.ts";
import { type Figures, measureServer, objectCount, watcherCounts } from "./load/api-load.ts";

/** The measurements of a server: milliseconds, writes per second and megabytes. */
interface Measured extends Figures {
  readonly start: number;
  readonly memory: number;
}

/** Measures the embedded cluster and, if its binaries are available, a real control plane in the same run. */
async function measure(): Promise<void> {
  console.log(`load of the machine: ${loadavg()[0]!.toFixed(1)}`);
  console.log(`in-process start: ${(await timeStart()).toFixed(0)} ms   goal < 50`);
  const embedded = await measureEmbedded();
  const binaries = findBinaries({ build: false });
  const real = "missing" in binaries ? undefined : await measureReal(binaries.folder);
  if ("missing" in binaries) console.log(`left out: the real control plane: ${binaries.missing}`);
  report("", "embedded", "real", "embedded is", "goal");
  const row = (what: string, goal: string, isSpeed: boolean, of: (measured: Measured) => number): void => {
    const ratio = real && (isSpeed ? of(embedded) / of(real) : of(real) / of(embedded));
    const better = ratio === undefined ? "" : `${ratio.toFixed(1)}x ${isSpeed ? "as fast" : "as small"}`;
    report(what, of(embedded).toFixed(1), real ? of(real).toFixed(1) : "-", better, goal);
  };
  row("process start to /readyz, ms", "< 250, 10x", false, ({ start }) => start);
  row("creates/s, TLS", "", true, ({ creates }) => creates);
  row(
    `list of ${objectCount}, with transfer and JSON.parse, ms`,
    "< 40 of 10,000 at the server",
    false,
    ({ list }) => list,
  );
  for (const count of watcherCounts) {
    const goal = count === 10 ? ">= 2,000" : "";
    row(`writes/s with ${count} watchers, TLS`, goal, true, ({ writes }) => writes.get(count)!);
  }
  row("watch latency p99, request included, ms", "< 5", false, ({ latency }) => latency);
  row("resident memory of all processes, MB", "", false, ({ memory }) => memory);
}

function report(what: string, embedded: string, real: string, better: string, goal: string): void {
  console.log(
    `${what.padEnd(50)} ${embedded.padStart(9)} ${real.padStart(9)}   ${better.padEnd(14)} ${goal}`,
  );
}

async function timeStart(): Promise<number> {
  await (await startCluster()).stop();
  const start = performance.now();
  const cluster = await startCluster();
  const took = performance.now() - start;
  await cluster.stop();
  return took;
}

async function measureEmbedded(): Promise<Measured> {
  const start = await timeProcess();
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  const script = join(import.meta.dirname, "servers/counters-server.ts");
  const child = spawn(process.execPath, [...process.execArgv, script, folder], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  try {
    // The loader prints other messages as well.
    await new Promise<void>((resolve) => child.on("message", (said) => said === "ready" && resolve()));
    const kubeconfig = JSON.parse(readFileSync(join(folder, "kubeconfig"), "utf8")) as Kubeconfig;
    return { start, ...(await measureServer(kubeconfig)), memory: residentMemory([child.pid!]) };
  } finally {
    child.disconnect();
    await once(child, "exit");
    rmSync(folder, { recursive: true });
  }
}

async function measureReal(folder: string): Promise<Measured> {
  const before = performance.now();
  const control = await startControlPlane(folder);
  const start = performance.now() - before;
  try {
    const kubeconfig = parse(readFileSync(control.kubeconfig, "utf8")) as Kubeconfig;
    return {
      start,
      ...(await measureServer(kubeconfig)),
      memory: residentMemory(processesIn(control.folder)),
    };
  } finally {
    await control.stop();
  }
}

/** The processes with a given working directory: those of a control plane. */
function processesIn(folder: string): number[] {
  const pids = existsSync("/proc") ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
  return pids.filter((pid) => workingFolder(pid) === folder).map(Number);
}

function workingFolder(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

/** In megabytes, if the system reports it. */
function residentMemory(pids: readonly number[]): number {
  const kilobytes = pids.map((pid) => Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0));
  return kilobytes.reduce((sum, one) => sum + one, 0) / 1024;
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** The command as it is installed: bundled by the build. */
async function timeProcess(): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 5; round++) times.push(await timeCommand());
  return times.toSorted((a, b) => a - b)[2]!;
}

async function timeCommand(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  const command = join(import.meta.dirname, "../../bin/tsbuilder.js");
  const port = await freePort();
  const kubeconfig = join(folder, "kubeconfig");
  const start = performance.now();
  const child = spawn(
    process.execPath,
    [command, "cluster", "start", "--kubeconfig", kubeconfig, `--port=${port}`],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  const ended = once(child, "close") as Promise<[number | null, string | null]>;
  // Both servers are started by the benchmark, and create their CA during the start.
  const agent = new Agent({ rejectUnauthorized: false });
  while ((await ready(port, agent)) !== 200) {
    if (child.exitCode !== null || child.signalCode !== null) {
      const [code, signal] = await ended;
      throw new Error(`the cluster ended with ${signal ?? code}: ${said || "it said nothing"}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const took = performance.now() - start;
  child.kill("SIGTERM");
  await ended;
  rmSync(folder, { recursive: true });
  return took;
}

function ready(port: number, agent: Agent): Promise<number> {
  return new Promise((resolve) => {
    const call = request({ host: "127.0.0.1", port, path: "/readyz", agent }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    call.on("error", () => resolve(0));
    call.end();
  });
}

await measure();
