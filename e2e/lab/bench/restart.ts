/**
 * How long an operator that was just restarted stops its event loop: all its objects are queued, and reconciles only read
 * the cache. It holds a lease, answers a probe each 50 ms, and is told to end in the middle of a second run.
 * `BESIDE` is another checkout with its node_modules, whose runtime is measured in turn with this one.
 * Run: [SERVER=embedded] [OBJECTS=50000] [WORKERS=1,10] [WORK=0,0.4] [READS=1] [ROUNDS=3] [BESIDE=FOLDER] npm run lab -- bench restart
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient, loadConfig } from "@tsbuilder/runtime";
import { Lease } from "@tsbuilder/runtime/k8s/coordination/v1";
import type { LoopStops } from "./load/loop-monitor.ts";
import { prepareCounters } from "./side-by-side/counters.ts";
import { startServer } from "./side-by-side/start-server.ts";
import { describeRatios, percentile } from "./side-by-side/statistics.ts";

const list = (name: string, preset: string): number[] => (process.env[name] ?? preset).split(",").map(Number);
const objects = Number(process.env["OBJECTS"] ?? 50_000);
const rounds = Number(process.env["ROUNDS"] ?? 3);
const reads = process.env["READS"] ?? "1";
const beside = process.env["BESIDE"];

const measured = {
  longest: "longest stop, ms",
  worked: "of it the operator's own work, ms",
  seconds: "s until all are reconciled",
  cpu: "ms of processor time a reconcile",
  probe: "slowest probe, ms",
  renewals: "oldest renewal of the lease, s",
  end: "ms from SIGTERM to the end",
} as const;
type Numbers = { readonly [field in keyof typeof measured]: number };

/** An operator's own report, and the measurements of its event loop's monitor. */
interface Said extends Partial<LoopStops> {
  readonly loaded?: true;
  readonly began?: true;
  readonly probes?: string;
  readonly through?: number;
  readonly cpu?: number;
}

const folder = mkdtempSync(join(tmpdir(), "tsbuilder-bench-"));
const server = await startServer(folder);
const client = createClient(() => loadConfig({ kubeconfig: server.kubeconfig }), { fieldManager: "driver" });
const runtimes = [undefined, ...(beside === undefined ? [] : [join(beside, "src/runtime/index.ts")])];

try {
  await prepareCounters(client, objects);
  console.log(`${server.name}, ${objects} objects, ${reads} reads a reconcile`);
  for (const work of list("WORK", "0,0.4"))
    for (const workers of list("WORKERS", "1,10")) await compare(work, workers);
} finally {
  await client.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function compare(work: number, workers: number): Promise<void> {
  const results: Numbers[][] = runtimes.map(() => []);
  for (let round = 0; round < rounds; round++)
    for (const [at, runtime] of runtimes.entries()) results[at]!.push(await measure(work, workers, runtime));
  console.log(`\n${work} ms of computing a reconcile, ${workers} workers, medians of ${rounds}`);
  for (const [field, name] of Object.entries(measured) as [keyof Numbers, string][]) {
    const columns = results.map((runs) => runs.map((run) => run[field]));
    const ratio = columns.length > 1 ? `   ${describeRatios(columns[0]!, columns[1]!)} ×` : "";
    console.log(
      `  ${name.padEnd(36)}${columns.map((one) => percentile(one, 50).toFixed(3).padStart(12)).join("")}${ratio}`,
    );
  }
}

async function measure(work: number, workers: number, runtime: string | undefined): Promise<Numbers> {
  const whole = start(work, workers, runtime);
  // Loading the program stops it for longer than anything later.
  await whole.hears("loaded");
  await whole.asksForStops();
  const { probes = "" } = await whole.began;
  const watched = watchFromOutside(probes);
  const { through = Number.NaN, cpu = Number.NaN } = await whole.hears("through");
  const outside = await watched();
  const { longest = Number.NaN, worked = Number.NaN } = await whole.asksForStops();
  await whole.end();
  const cut = start(work, workers, runtime);
  await cut.began;
  return { longest, worked, seconds: through, cpu, ...outside, end: await cut.end() };
}

function start(work: number, workers: number, runtime: string | undefined) {
  const monitor = join(import.meta.dirname, "load/loop-monitor.ts");
  const operator = fork(join(import.meta.dirname, "operators/restarted.ts"), {
    execArgv: [...process.execArgv, "--import", monitor],
    env: {
      ...process.env,
      KUBECONFIG: server.kubeconfig,
      OBJECTS: String(objects),
      WORKERS: String(workers),
      WORK: String(work),
      READS: reads,
      ...(runtime !== undefined && { RUNTIME: runtime }),
    },
    stdio: ["ignore", "ignore", process.env["LOGS"] ? "inherit" : "ignore", "ipc"],
  });
  const kill = (): void => void operator.kill("SIGKILL");
  process.once("exit", kill);
  const ended = once(operator, "exit").then(([code]) => {
    process.off("exit", kill);
    return String(code);
  });
  const hears = async (field: keyof Said): Promise<Said> => {
    const said = new Promise<Said>((resolve) => {
      operator.on("message", (message: Said) => {
        if (message[field] !== undefined) resolve(message);
      });
    });
    const early = ended.then((code): never => {
      throw new Error(`the operator ended with ${code}: it lost its lease, or LOGS=1 shows why`);
    });
    return Promise.race([said, early]);
  };
  return {
    began: hears("began"),
    hears,
    /** The measurements since the last request for them. */
    asksForStops: () => {
      const stops = hears("longest");
      operator.send("stops");
      return stops;
    },
    async end(): Promise<number> {
      const at = performance.now();
      operator.kill("SIGTERM");
      if ((await ended) !== "0") throw new Error(`after SIGTERM the operator ended with ${await ended}`);
      return performance.now() - at;
    },
  };
}

/** Asks for a probe and for the lease again and again, until the returned function is called. */
function watchFromOutside(probes: string): () => Promise<Pick<Numbers, "probe" | "renewals">> {
  const over = new AbortController();
  let probe = 0;
  let renewals = 0;
  const asking = (async () => {
    while (!over.signal.aborted) {
      const at = performance.now();
      // A server that stood still for longer than it keeps connections open resets one instead of answering.
      await fetch(`http://${probes}/healthz`).then(
        (answer) => answer.text(),
        () => undefined,
      );
      probe = Math.max(probe, performance.now() - at);
      const { spec } = await client.get(Lease, { namespace: "default", name: "bench" });
      renewals = Math.max(renewals, (Date.now() - Date.parse(spec?.renewTime ?? "")) / 1000);
      await sleep(50);
    }
  })();
  return async () => {
    over.abort();
    await asking;
    return { probe, renewals };
  };
}
