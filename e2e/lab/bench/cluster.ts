import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, request } from "node:https";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { freePort } from "@tsbuilder/apimachinery/port";
import { startCluster } from "@tsbuilder/cluster";
import { parse } from "yaml";
import type { Kubeconfig } from "../../../src/cluster/auth/credentials.ts";
import { startControlPlane } from "../../oracle/real/control-plane.ts";
import { findBinaries } from "../../oracle/real/control-plane-binaries.ts";
import { type Figures, measureServer, objectCount, watcherCounts } from "./load/api-load.ts";
import { builtCommand } from "./load/built-command.ts";
import { processesIn, residentMemory } from "./load/processes.ts";

/** The measurements of a server, also in megabytes. */
interface Measured extends Figures {
  readonly start: number;
  readonly memory: number;
}

/**
 * Measures the embedded cluster as it is installed (`npm run build` first), and in the same run, if its binaries are
 * available, a real control plane, and an HTTPS server of Node that sends as many bytes and does nothing else.
 */
async function measure(): Promise<void> {
  console.log(`load of the machine: ${loadavg()[0]!.toFixed(1)}`);
  console.log(`in-process start: ${(await timeStart()).toFixed(0)} ms   goal < 50`);
  const embedded = await measureEmbedded();
  const binaries = findBinaries({ build: false });
  const real = "missing" in binaries ? undefined : await measureReal(binaries.folder);
  if ("missing" in binaries) console.log(`left out: the real control plane: ${binaries.missing}`);
  const bare = await measureBare(embedded.length);
  report("", "embedded", "real", "bare Node", "embedded is", "goal");
  const row = (
    what: string,
    goal: string,
    isSpeed: boolean,
    of: (measured: Figures & Partial<Measured>) => number | undefined,
  ): void => {
    const [ours, theirs] = [of(embedded)!, real && of(real)];
    const ratio = theirs && (isSpeed ? ours / theirs : theirs / ours);
    const better = ratio === undefined ? "" : `${ratio.toFixed(1)}x ${isSpeed ? "as fast" : "as small"}`;
    report(what, figure(ours), figure(theirs), figure(of(bare)), better, goal);
  };
  row("process start to /readyz, ms", "< 250, 10x", false, ({ start }) => start);
  row("creates/s, TLS", "", true, ({ creates }) => creates);
  row(`list of ${objectCount}, with transfer, ms`, "5x", false, ({ list }) => list);
  for (const count of watcherCounts) {
    row(`writes/s with ${count} watchers, TLS`, "4x", true, ({ writes }) => writes.get(count));
  }
  row("watch latency p99, request included, ms", "< 5, 3x", false, ({ latency }) => latency);
  row("processor time of a write, ms", "", false, ({ processor }) => processor.write);
  row("processor time of a list, ms", "", false, ({ processor }) => processor.list);
  row("resident memory of all processes, MB", "2.5x", false, ({ memory }) => memory);
}

function figure(value: number | undefined): string {
  return value?.toFixed(value < 10 ? 2 : 1) ?? "-";
}

function report(...[what, embedded, real, bare, better, goal]: readonly [string, ...string[]]): void {
  const columns = [embedded, real, bare].map((column = "") => column.padStart(9)).join(" ");
  console.log(`${what.padEnd(42)} ${columns}   ${better!.padEnd(14)} ${goal}`);
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
  const path = join(folder, "kubeconfig");
  // Neither has controllers; the real ones are a program of their own.
  const child = spawn(
    process.execPath,
    [command, "cluster", "start", "--kubeconfig", path, "--controllers=none"],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  try {
    // The first line says that it is ready.
    await Promise.race([once(child.stdout, "data"), once(child, "exit")]);
    const { clusters, users } = parse(readFileSync(path, "utf8")) as Kubeconfig;
    const pids = [child.pid!];
    const address = { url: clusters[0].cluster.server, token: users[0].user.token! };
    return { start, ...(await measureServer({ ...address, pids })), memory: residentMemory(pids) };
  } finally {
    await end(child);
    rmSync(folder, { recursive: true });
  }
}

async function measureReal(folder: string): Promise<Measured> {
  const before = performance.now();
  const control = await startControlPlane(folder);
  const start = performance.now() - before;
  try {
    const pids = processesIn(control.folder);
    return { start, ...(await measureServer({ ...control, pids })), memory: residentMemory(pids) };
  } finally {
    await control.stop();
  }
}

async function measureBare(length: number): Promise<Figures> {
  const child = fork(join(import.meta.dirname, "servers/bare-server.ts"), [String(length)]);
  try {
    const port = await new Promise<number>((resolve) => {
      // The loader sends other messages as well.
      child.on("message", (said) => typeof said === "number" && resolve(said));
    });
    return await measureServer({ url: `https://127.0.0.1:${port}`, token: "any", pids: [child.pid!] });
  } finally {
    await end(child);
  }
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}

const command = builtCommand();

/** The command as it is installed: bundled by the build. */
async function timeProcess(): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 5; round++) times.push(await timeCommand());
  return times.toSorted((a, b) => a - b)[2]!;
}

async function timeCommand(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
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
