/**
 * The same operator with and without its flight recorder, against one server: reconciles per second, processor time, memory.
 * Both run at once, each with objects of its own, and take turns: each pass of one is compared with the pass of the other beside it,
 * so that other load on the machine affects both. Each round starts both anew; the first passes warm them up and aren't counted.
 * Run: [SERVER=embedded] [OBJECTS=1000] [ROUNDS=3] [PASSES=20] npm run lab -- bench recorder
 */
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, loadConfig } from "@tsbuilder/runtime";
import { buildOperators } from "./side-by-side/build-operators.ts";
import { prepareCounters } from "./side-by-side/counters.ts";
import { OperatorProcess } from "./side-by-side/operator-process.ts";
import { startServer } from "./side-by-side/start-server.ts";
import { percentile } from "./side-by-side/statistics.ts";

const objects = Number(process.env["OBJECTS"] ?? 1000);
const rounds = Number(process.env["ROUNDS"] ?? 3);
const passes = Number(process.env["PASSES"] ?? 20);
const warmups = 5;

const measured = { perSecond: "reconciles/s", cpu: "CPU ms per 1,000 reconciles", rss: "RSS MB" } as const;
type Numbers = { readonly [field in keyof typeof measured]: number };

/** The namespaces of the two operators. */
const sides = { with: "default", without: "kube-public" } as const;
type Side = keyof typeof sides;

const folder = mkdtempSync(join(tmpdir(), "tsbuilder-bench-"));
const command = (await buildOperators(folder)).get("tsbuilder")!;
const server = await startServer(folder);
const client = createClient(() => loadConfig({ kubeconfig: server.kubeconfig }), { fieldManager: "driver" });
/** Counts all passes: each must write another status. */
let pass = 0;

try {
  await prepareCounters(client, objects, Object.values(sides));
  const results = { with: [] as Numbers[], without: [] as Numbers[] };
  for (let round = 0; round < rounds; round++) await compare(results);
  const load = loadavg().map((value) => value.toFixed(1));
  console.log(
    `${server.name}, ${objects} objects, 10 workers, ${rounds} rounds of ${passes} passes, node ${process.version}, load ${load.join(" ")}; medians:`,
  );
  for (const [field, label] of Object.entries(measured) as [keyof Numbers, string][]) {
    const [on, off] = [results.with, results.without].map((all) => all.map((numbers) => numbers[field]));
    const ratios = on!.map((value, index) => value / off![index]!);
    const [low, median, high] = [25, 50, 75].map((percent) => percentile(ratios, percent).toFixed(3));
    const values = `with ${percentile(on!, 50).toFixed(1)}, without ${percentile(off!, 50).toFixed(1)}`;
    console.log(`  ${label}: ${values}, ratio ${median} (half of the pairs: ${low} to ${high})`);
  }
} finally {
  await client.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Runs both operators in turn, and adds what each pass took. */
async function compare(results: Readonly<Record<Side, Numbers[]>>): Promise<void> {
  const start = (side: Side): OperatorProcess =>
    new OperatorProcess(command, server.kubeconfig, {
      WORKERS: "10",
      OBJECTS: String(objects),
      NAMESPACE: sides[side],
      RECORDER: side === "with" ? mkdtempSync(join(folder, "record-")) : "",
    });
  const operators = { with: start("with"), without: start("without") };
  try {
    await Promise.all(Object.values(operators).map((operator) => operator.hears("round")));
    for (let at = 0; at < warmups + passes; at++) {
      const order = at % 2 === 0 ? (["with", "without"] as const) : (["without", "with"] as const);
      for (const side of order) {
        const { seconds = 0, cpu = 0 } = await operators[side].asks(`round ${++pass}`, "round");
        if (at < warmups) continue;
        const rss = operators[side].memory();
        results[side].push({ perSecond: objects / seconds, cpu: (cpu * 1e6) / objects, rss });
      }
    }
  } finally {
    await Promise.all(Object.values(operators).map((operator) => operator.stop()));
  }
}
