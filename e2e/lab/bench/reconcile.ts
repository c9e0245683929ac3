/**
 * The same operator on our runtime and on controller-runtime, against one server: reconciles per second, processor time
 * per 1,000 reconciles, event to status, cold start. Each round starts both anew, one after the other; the first passes
 * of each warm it up and aren't counted.
 * Run: [SERVER=embedded] [OBJECTS=5000] [WORKERS=1,10] [ROUNDS=3] npm run lab -- bench reconcile
 */
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, loadConfig } from "@tsbuilder/runtime";
import { buildOperators, type Command } from "./side-by-side/build-operators.ts";
import { Counter, nameOf, namespace, prepareCounters } from "./side-by-side/counters.ts";
import { OperatorProcess } from "./side-by-side/operator-process.ts";
import { startServer } from "./side-by-side/start-server.ts";
import { describeRatios, percentile } from "./side-by-side/statistics.ts";

const objects = Number(process.env["OBJECTS"] ?? 5000);
const workerCounts = (process.env["WORKERS"] ?? "1,10").split(",").map(Number);
const rounds = Number(process.env["ROUNDS"] ?? 3);
const warmups = 2;
const passes = 3;
const events = 1500;
const eventsPerSecond = 100;

const measured = {
  perSecond: "reconciles/s",
  cpu: "CPU s per 1,000 reconciles",
  coldPerSecond: "reconciles/s, first pass",
  p50: "event→status p50 ms",
  p99: "event→status p99 ms",
  coldStart: "start→first status ms",
  rss: "RSS MB",
} as const;
type Numbers = { readonly [field in keyof typeof measured]: number };

const folder = mkdtempSync(join(tmpdir(), "tsbuilder-bench-"));
const operators = await buildOperators(folder);
const server = await startServer(folder);
const client = createClient(() => loadConfig({ kubeconfig: server.kubeconfig }), { fieldManager: "driver" });
/** The initial statuses differ from those that the operators write, which differ for each operator. */
let base = 0;

try {
  await prepareCounters(client, objects);
  for (const workers of workerCounts) {
    const results = new Map<string, Numbers[]>([...operators.keys()].map((name) => [name, []]));
    // Alternating, so that other load on the machine affects all of them.
    for (let round = 0; round < rounds; round++)
      for (const [name, command] of operators) results.get(name)!.push(await measure(command, workers));
    report(results, workers);
  }
} finally {
  await client.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function measure(command: Command, workers: number): Promise<Numbers> {
  base += 1_000_000;
  await setAll(base);
  const startedAt = performance.now();
  const operator = new OperatorProcess(command, server.kubeconfig, {
    WORKERS: String(workers),
    OBJECTS: String(objects),
  });
  try {
    const initial = operator.hears("round");
    await operator.hears("first");
    const coldStart = performance.now() - startedAt;
    const cold = await initial;
    let round = 0;
    while (round < warmups) await operator.asks(`round ${++round}`, "round");
    const counted = [];
    while (round < warmups + passes) counted.push(await operator.asks(`round ${++round}`, "round"));
    const latencies = await measureLatency(round);
    return {
      perSecond:
        objects /
        percentile(
          counted.map(({ seconds }) => seconds!),
          50,
        ),
      cpu:
        percentile(
          counted.map(({ cpu }) => cpu!),
          50,
        ) /
        (objects / 1000),
      coldPerSecond: objects / cold.seconds!,
      coldStart,
      p50: percentile(latencies, 50),
      p99: percentile(latencies, 99),
      rss: operator.memory(),
    };
  } finally {
    await operator.stop();
  }
}

async function setAll(count: number): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < objects) await setCount(next++, count);
  };
  await Promise.all(Array.from({ length: 20 }, lane));
}

function setCount(index: number, count: number): Promise<Counter> {
  return client.patch(Counter, { name: nameOf(index), namespace }, { merge: { spec: { count } } });
}

/**
 * From the request that changes an object until its reconcile's write is observed; the round trips to the server are
 * included for both.
 */
async function measureLatency(round: number): Promise<number[]> {
  const abort = new AbortController();
  const waiting = new Map<number, (at: number) => void>();
  const watching = watch(waiting, abort.signal);
  const latencies: number[] = [];
  const sent: Promise<void>[] = [];
  for (let event = 1; event <= events; event++) {
    const count = base + event;
    const seen = new Promise<number>((resolve) => waiting.set(count + round, resolve));
    const at = performance.now();
    sent.push(setCount(event % objects, count).then(async () => void latencies.push((await seen) - at)));
    await new Promise((resolve) => setTimeout(resolve, 1000 / eventsPerSecond));
  }
  await Promise.all(sent);
  abort.abort();
  await watching;
  return latencies;
}

async function watch(waiting: Map<number, (at: number) => void>, signal: AbortSignal): Promise<void> {
  try {
    for await (const event of client.watch(Counter, { namespace, signal })) {
      if (event.type !== "BOOKMARK") waiting.get(event.object.status?.count ?? 0)?.(performance.now());
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function report(results: ReadonlyMap<string, readonly Numbers[]>, workers: number): void {
  const load = loadavg().map((value) => value.toFixed(1));
  console.log(
    `${server.name}, ${objects} objects, ${workers} workers, ${rounds} rounds, node ${process.version}, ` +
      `load ${load.join(" ")}; medians:`,
  );
  for (const [field, label] of Object.entries(measured) as [keyof Numbers, string][]) {
    const valuesOf = (name: string) => results.get(name)?.map((numbers) => numbers[field]) ?? [];
    const values = [...results.keys()].map((name) => `${name} ${percentile(valuesOf(name), 50).toFixed(2)}`);
    const theirs = valuesOf("controller-runtime");
    const ratio = theirs.length > 0 ? `, ratio ${describeRatios(valuesOf("tsbuilder"), theirs)}` : "";
    console.log(`  ${label}: ${values.join(", ")}${ratio}`);
  }
}
