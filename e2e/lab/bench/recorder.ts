/**
 * The same operator with and without its flight recorder, against one server: reconciles per second, processor time, memory.
 * Each round starts both anew, in turn; the first passes of each warm it up and aren't counted.
 * Run: [SERVER=embedded] [OBJECTS=1000] [ROUNDS=7] [PASSES=15] npm run lab -- bench recorder
 */
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, loadConfig } from "@tsbuilder/runtime";
import { buildOperators } from "./side-by-side/build-operators.ts";
import { prepareCounters } from "./side-by-side/counters.ts";
import { OperatorProcess, type Said } from "./side-by-side/operator-process.ts";
import { startServer } from "./side-by-side/start-server.ts";
import { describeRatios, percentile } from "./side-by-side/statistics.ts";

const objects = Number(process.env["OBJECTS"] ?? 1000);
const rounds = Number(process.env["ROUNDS"] ?? 7);
const passes = Number(process.env["PASSES"] ?? 15);
const warmups = 5;

const measured = { perSecond: "reconciles/s", cpu: "CPU s per 1,000 reconciles", rss: "RSS MB" } as const;
type Numbers = { readonly [field in keyof typeof measured]: number };

const folder = mkdtempSync(join(tmpdir(), "tsbuilder-bench-"));
const command = (await buildOperators(folder)).get("tsbuilder")!;
const server = await startServer(folder);
const client = createClient(() => loadConfig({ kubeconfig: server.kubeconfig }), { fieldManager: "driver" });
/** Counts all passes: each must write another status. */
let pass = 0;

try {
  await prepareCounters(client, objects);
  const results = { off: [] as Numbers[], on: [] as Numbers[] };
  for (let round = 0; round < rounds; round++)
    // Alternating, so that other load on the machine affects both.
    for (const recorder of round % 2 === 0 ? (["off", "on"] as const) : (["on", "off"] as const))
      results[recorder].push(await measure(recorder));
  const load = loadavg().map((value) => value.toFixed(1));
  console.log(
    `${server.name}, ${objects} objects, 10 workers, ${rounds} rounds of ${passes} passes, node ${process.version}, load ${load.join(" ")}; medians:`,
  );
  for (const [field, label] of Object.entries(measured) as [keyof Numbers, string][]) {
    const [on, off] = [results.on, results.off].map((all) => all.map((numbers) => numbers[field]));
    const values = `with ${percentile(on!, 50).toFixed(3)}, without ${percentile(off!, 50).toFixed(3)}`;
    console.log(`  ${label}: ${values}, ratio ${describeRatios(on!, off!)}`);
  }
} finally {
  await client.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function measure(recorder: "on" | "off"): Promise<Numbers> {
  const operator = new OperatorProcess(command, server.kubeconfig, {
    WORKERS: "10",
    OBJECTS: String(objects),
    RECORDER: recorder,
  });
  try {
    await operator.hears("round");
    const counted: Said[] = [];
    for (let at = 0; at < warmups + passes; at++) {
      const taken = await operator.asks(`round ${++pass}`, "round");
      if (at >= warmups) counted.push(taken);
    }
    const median = (field: "seconds" | "cpu"): number =>
      percentile(
        counted.map((one) => one[field]!),
        50,
      );
    return {
      perSecond: objects / median("seconds"),
      cpu: median("cpu") / (objects / 1000),
      rss: operator.memory(),
    };
  } finally {
    await operator.stop();
  }
}
