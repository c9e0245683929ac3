/**
 * Reconciles per second, event to reconcile, cold start and memory, beside controller-runtime where Go is there.
 * The server is the embedded cluster in a process of its own, or the one that KUBECONFIG_UNDER_TEST names.
 * Run: node --conditions=@tsbuilder/source --import tsx e2e/bench/run.ts reconcile
 */
import { type ChildProcess, fork, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { type CustomResource, createClient, defineKind, loadConfig } from "@tsbuilder/runtime";

interface Counter extends CustomResource<{ count: number }, { count?: number }> {}
const Counter = defineKind<Counter>(
  { group: "bench.example.com", version: "v1" },
  { kind: "Counter", plural: "counters" },
);

const objects = Number(process.env["OBJECTS"] ?? 2000);
const workers = Number(process.env["WORKERS"] ?? 10);
const rounds = Number(process.env["ROUNDS"] ?? 3);
const events = 400;
const eventsPerSecond = 200;
const namespace = "default";

interface Numbers {
  readonly coldStart: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly rss: number;
}

const folder = mkdtempSync(join(tmpdir(), "tsbuilder-bench-"));
const server = process.env["KUBECONFIG_UNDER_TEST"]
  ? undefined
  : fork(new URL("servers/counters-server.ts", import.meta.url), [folder]);
const kubeconfig = process.env["KUBECONFIG_UNDER_TEST"] ?? join(folder, "kubeconfig");
if (server) await once(server, "message");
const client = createClient(() => loadConfig({ kubeconfig }), { fieldManager: "driver" });

const operators = new Map<string, string[]>([["tsbuilder", [process.execPath, await bundleOperator()]]]);
const go = buildGoOperator();
if (go) operators.set("controller-runtime", [go]);
else console.log("left out: controller-runtime, as there is no Go here");

try {
  await prepare();
  const results = new Map<string, Numbers[]>([...operators.keys()].map((name) => [name, []]));
  // Side by side, so that what else the machine does meets all of them.
  for (let round = 0; round < rounds; round++)
    for (const [name, command] of operators) results.get(name)!.push(await measure(command));
  report(results);
} finally {
  await client.close();
  server?.kill();
  rmSync(folder, { recursive: true, force: true });
}

async function bundleOperator(): Promise<string> {
  const outfile = join(folder, "operator.mjs");
  await build({
    entryPoints: [new URL("operators/tsbuilder.ts", import.meta.url).pathname],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    conditions: ["@tsbuilder/source"],
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    logLevel: "error",
  });
  return outfile;
}

function buildGoOperator(): string | undefined {
  const output = join(folder, "operator");
  const cwd = new URL("operators/controller-runtime", import.meta.url).pathname;
  const { status } = spawnSync("go", ["build", "-o", output, "."], {
    cwd,
    stdio: ["ignore", "ignore", "inherit"],
  });
  return status === 0 ? output : undefined;
}

async function prepare(): Promise<void> {
  const crds = defineKind<CustomResource<object>>(
    { group: "apiextensions.k8s.io", version: "v1" },
    { kind: "CustomResourceDefinition", plural: "customresourcedefinitions", scope: "Cluster" },
  );
  const count = { type: "integer", format: "int64" };
  const part = { type: "object", properties: { count } };
  await client.apply(crds, {
    metadata: { name: "counters.bench.example.com" },
    spec: {
      group: "bench.example.com",
      scope: "Namespaced",
      names: { kind: "Counter", listKind: "CounterList", plural: "counters", singular: "counter" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: "object", properties: { spec: part, status: part } } },
        },
      ],
    },
  });
  await retry(() => client.deleteAllOf(Counter, { namespace }));
  await each(objects, (index) =>
    retry(() => client.create(Counter, { metadata: { name: nameOf(index), namespace }, spec: { count: 0 } })),
  );
}

async function measure(command: readonly string[]): Promise<Numbers> {
  const seen = new Map<string, { count: number; at: number }>();
  const abort = new AbortController();
  const watching = watch(seen, abort.signal);
  const wanted = Date.now();
  await each(objects, (index) =>
    client.patch(Counter, { name: nameOf(index), namespace }, { merge: { spec: { count: wanted } } }),
  );
  const startedAt = performance.now();
  const [file = "", ...args] = command;
  const operator = spawn(file, [...args, ...(args.length > 0 ? ["--kubeconfig", kubeconfig] : [])], {
    env: { ...process.env, KUBECONFIG: kubeconfig, WORKERS: String(workers) },
    stdio: ["ignore", "ignore", "ignore"],
  });
  try {
    const done = () => [...seen.values()].filter(({ count }) => count === wanted);
    await until(() => {
      if (operator.exitCode !== null) throw new Error(`${file} ended with ${operator.exitCode}`);
      return done().length === objects;
    });
    const times = done().map(({ at }) => at);
    const [first, last] = [Math.min(...times), Math.max(...times)];
    const latencies = await measureLatency(seen, wanted + 1);
    return {
      coldStart: first - startedAt,
      perSecond: (objects - 1) / ((last - first) / 1000),
      p50: percentile(latencies, 50),
      p99: percentile(latencies, 99),
      rss: rssOf(operator),
    };
  } finally {
    if (operator.exitCode === null && operator.kill("SIGTERM")) await once(operator, "exit");
    abort.abort();
    await watching;
  }
}

/** From before a change is sent to when its reconcile's write is seen; the way to the server and back is in both. */
async function measureLatency(
  seen: Map<string, { count: number; at: number }>,
  first: number,
): Promise<number[]> {
  const latencies: number[] = [];
  const sent: Promise<void>[] = [];
  for (let event = 0; event < events; event++) {
    const name = nameOf(event % objects);
    const count = first + event;
    sent.push(
      (async () => {
        const at = performance.now();
        await client.patch(Counter, { name, namespace }, { merge: { spec: { count } } });
        await until(() => seen.get(name)?.count === count, 1);
        latencies.push(seen.get(name)!.at - at);
      })(),
    );
    await new Promise((resolve) => setTimeout(resolve, 1000 / eventsPerSecond));
  }
  await Promise.all(sent);
  return latencies;
}

async function watch(seen: Map<string, { count: number; at: number }>, signal: AbortSignal): Promise<void> {
  try {
    for await (const event of client.watch(Counter, { namespace, signal })) {
      if (event.type === "BOOKMARK") continue;
      const { metadata, status } = event.object;
      if (seen.get(metadata.name!)?.count !== status?.count)
        seen.set(metadata.name!, { count: status?.count ?? 0, at: performance.now() });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function report(results: ReadonlyMap<string, readonly Numbers[]>): void {
  console.log(`${objects} objects, ${workers} workers, ${rounds} rounds, node ${process.version}, medians:`);
  const median = (name: string, field: keyof Numbers) =>
    percentile(
      results.get(name)!.map((numbers) => numbers[field]),
      50,
    );
  const fields: [keyof Numbers, string][] = [
    ["perSecond", "reconciles/s"],
    ["p50", "event→status p50 ms"],
    ["p99", "event→status p99 ms"],
    ["coldStart", "start→first status ms"],
    ["rss", "RSS MB"],
  ];
  for (const [field, label] of fields) {
    const values = [...results.keys()].map((name) => `${name} ${median(name, field).toFixed(1)}`);
    const ratio = go ? median("tsbuilder", field) / median("controller-runtime", field) : undefined;
    console.log(`${label}: ${values.join(", ")}${ratio === undefined ? "" : `, ratio ${ratio.toFixed(2)}`}`);
  }
}

function rssOf({ pid }: ChildProcess): number {
  const match = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(match?.[1] ?? 0) / 1024;
}

function nameOf(index: number): string {
  return `counter-${index}`;
}

async function each(count: number, run: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await run(next++);
  };
  await Promise.all(Array.from({ length: 20 }, lane));
}

async function retry(run: () => Promise<unknown>): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await run();
      return;
    } catch (error) {
      if (attempt >= 20) throw error;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
}

async function until(isDone: () => boolean, interval = 5): Promise<void> {
  while (!isDone()) await new Promise((resolve) => setTimeout(resolve, interval));
}

function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
}
