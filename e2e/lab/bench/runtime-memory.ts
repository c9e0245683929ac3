/**
 * Resident memory of an operator that caches many pods, ours and controller-runtime's: the base, and the increase per
 * 10,000 pods. Both drop managed fields. A minimal server sends the same JSON to both.
 * Run: [COUNTS=0,5000,10000,20000] [ROUNDS=3] npm run lab -- bench runtime-memory
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { buildOperators, type Command } from "./side-by-side/build-operators.ts";
import { OperatorProcess } from "./side-by-side/operator-process.ts";
import { describeRatios, percentile } from "./side-by-side/statistics.ts";

const counts = (process.env["COUNTS"] ?? "0,5000,10000,20000").split(",").map(Number);
const rounds = Number(process.env["ROUNDS"] ?? 3);

/** In MB: the peak, some seconds after the start, and after a full garbage collection. */
interface Memory {
  readonly peak: number;
  readonly resting: number;
  readonly collected: number;
}

const folder = mkdtempSync(join(tmpdir(), "tsbuilder-bench-"));
const operators = await buildOperators(folder);
const slopes = new Map<string, number[]>([...operators.keys()].map((name) => [name, []]));
try {
  for (let round = 0; round < rounds; round++) {
    const seen = new Map<string, Memory[]>([...operators.keys()].map((name) => [name, []]));
    for (const count of counts)
      for (const [name, command] of operators) seen.get(name)!.push(await measure(command, count));
    for (const [name, memories] of seen) {
      slopes.get(name)!.push(slopeOf(memories));
      const shown = memories.map(({ peak, resting, collected }, at) => {
        const values = [collected, resting, peak].map((value) => value.toFixed(0));
        return `${counts[at]}: ${values.join("/")}`;
      });
      console.log(`${name}: pods: MB collected/resting/peak: ${shown.join(", ")}`);
    }
  }
  report();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measure(command: Command, count: number): Promise<Memory> {
  const server = fork(new URL("servers/pods-server.ts", import.meta.url), [String(count)]);
  const [port] = (await once(server, "message")) as [number];
  const operator = new OperatorProcess(command, writeKubeconfig(port), { WATCH: "pods" });
  try {
    await operator.hears("started");
    await new Promise((resolve) => setTimeout(resolve, 3000));
    const [resting, peak] = [operator.memory(), operator.memory("VmHWM")];
    await operator.asks("collect", "collected");
    return { peak, resting, collected: operator.memory() };
  } finally {
    await operator.stop();
    server.disconnect();
  }
}

/** MB per 10,000 pods after a garbage collection, by least squares. */
function slopeOf(memories: readonly Memory[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(counts), mean(memories.map(({ collected }) => collected))];
  const covariance = counts.reduce((sum, count, at) => sum + (count - x) * (memories[at]!.collected - y), 0);
  return (covariance / counts.reduce((sum, count) => sum + (count - x) ** 2, 0)) * 10_000;
}

function report(): void {
  const load = loadavg().map((value) => value.toFixed(1));
  const shown = [...slopes]
    .map(([name, values]) => `${name} ${percentile(values, 50).toFixed(1)}`)
    .join(", ");
  const [ours = [], theirs] = [slopes.get("tsbuilder"), slopes.get("controller-runtime")];
  const ratio = theirs ? `, ratio ${describeRatios(ours, theirs)}` : "";
  console.log(`MB for each 10,000 pods, ${rounds} rounds, node ${process.version}, load ${load.join(" ")}:`);
  console.log(`  ${shown}${ratio}`);
}

function writeKubeconfig(port: number): string {
  const file = join(folder, "kubeconfig");
  const kubeconfig = {
    "current-context": "bench",
    clusters: [{ name: "bench", cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: "bench", user: {} }],
    contexts: [{ name: "bench", context: { cluster: "bench", user: "bench" } }],
  };
  writeFileSync(file, JSON.stringify(kubeconfig));
  return file;
}
