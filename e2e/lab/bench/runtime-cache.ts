/**
 * Memory of a filled cache, and how long the event loop is blocked while it fills.
 * Run: node --conditions=@tsbuilder/source --import tsx e2e/lab/bench/run.ts runtime-cache
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { defineKind } from "@tsbuilder/apimachinery/meta";
import { createClient } from "@tsbuilder/runtime";
import { createCache } from "@tsbuilder/runtime/advanced";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
const count = Number(process.argv[2] ?? 10_000);
const Pod = defineKind({ group: "", version: "v1" }, { kind: "Pod", plural: "pods" });

const server = fork(new URL("servers/pods-server.ts", import.meta.url), [String(count)]);
const [port] = (await once(server, "message")) as [number];
const config = { server: `http://127.0.0.1:${port}` };

const modes: { [name: string]: () => Promise<{ kept: unknown; stop: () => Promise<void> }> } = {
  async "one JSON.parse of the list"() {
    const client = createClient(config);
    const { text } = await client.request({ path: "/api/v1/pods" });
    const { items } = JSON.parse(text) as { items: { metadata: { managedFields?: unknown } }[] };
    for (const item of items) delete item.metadata.managedFields;
    return { kept: items, stop: () => client.close() };
  },
  "informer, listed": () => fillCache(false),
  "informer, streamed": () => fillCache(true),
};

// Each in a separate process, so that they don't share a heap.
const mode = process.argv[3];
if (mode) {
  await measure(mode, modes[mode]!);
} else {
  console.log(`${count} pods, node ${process.version}`);
  for (const name of Object.keys(modes)) {
    await once(fork(new URL(import.meta.url), [String(count), name]), "exit");
  }
}
server.disconnect();

async function fillCache(watchList: boolean): Promise<{ kept: unknown; stop: () => Promise<void> }> {
  const client = createClient(config);
  const cache = createCache(client, { watchList });
  cache.informer(Pod);
  cache.start();
  await cache.synced();
  return {
    kept: cache,
    stop: async () => {
      await cache.stop();
      await client.close();
    },
  };
}

async function measure(
  name: string,
  fill: () => Promise<{ kept: unknown; stop: () => Promise<void> }>,
): Promise<void> {
  collect();
  const before = process.memoryUsage();
  const started = performance.now();
  let longest = 0;
  let peak = 0;
  let last = performance.now();
  const clock = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last - 1);
    last = now;
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 1);
  const { kept, stop } = await fill();
  await new Promise((resolve) => setTimeout(resolve, 10));
  const seconds = (performance.now() - started - 10) / 1000;
  clearInterval(clock);
  collect();
  const after = process.memoryUsage();
  const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(0)} MB`;
  console.log(
    `${name}: ${seconds.toFixed(2)} s, heap kept ${megabytes(after.heapUsed - before.heapUsed)}, ` +
      `peak rss ${megabytes(peak)}, longest block ${longest.toFixed(0)} ms`,
  );
  void kept;
  await stop();
}

function collect(): void {
  for (let round = 0; round < 3; round++) collectGarbage();
}
