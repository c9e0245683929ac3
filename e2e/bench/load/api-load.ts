import { request } from "node:https";
import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import type { Kubeconfig } from "../../../src/cluster/auth/kubeconfig.ts";
import { send } from "../../../src/cluster/testing/send.ts";
import { definition, thing, things } from "./thing.ts";

/** A server's measurements under load. */
export interface Figures {
  readonly creates: number;
  readonly list: number;
  readonly writes: ReadonlyMap<number, number>;
  readonly latency: number;
}

/** The number of watchers that follow the writes. */
export const watcherCounts = [0, 10, 100];

/** Fewer than the goal of 10,000 are enough for ratios on a busy machine. */
export const objectCount = Number(process.env["BENCH_OBJECTS"] ?? 10_000);

/** Puts a server under load, embedded or real: many objects, lists of them, writes with watchers. */
export async function measureServer(kubeconfig: Kubeconfig): Promise<Figures> {
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  await send(kubeconfig, { method: "POST", path, body: definition });
  while ((await send(kubeconfig, { method: "GET", path: things })).code !== 200) await delay(100);
  // The real server delays the first write of a new kind by two seconds.
  await create(kubeconfig, "first");
  const start = performance.now();
  await parallel(objectCount, 16, (index) => create(kubeconfig, `t-${index}`));
  const creates = objectCount / seconds(start);
  const list = await timeList(kubeconfig);
  const writes = new Map<number, number>();
  for (const count of watcherCounts) writes.set(count, await writesPerSecond(kubeconfig, count));
  return { creates, list, writes, latency: await watchLatency(kubeconfig) };
}

async function timeList(kubeconfig: Kubeconfig): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < 6; index++) {
    const before = performance.now();
    await send(kubeconfig, { method: "GET", path: `${things}?resourceVersion=0` });
    times.push(performance.now() - before);
  }
  return quantile(times.slice(1), 0.5);
}

async function create(kubeconfig: Kubeconfig, name: string): Promise<void> {
  const { code, text } = await send(kubeconfig, { method: "POST", path: things, body: thing(name) });
  if (code !== 201) throw new Error(text);
}

async function writesPerSecond(kubeconfig: Kubeconfig, watchers: number): Promise<number> {
  const count = objectCount / 5;
  const seen = { events: 0 };
  const stops = await Promise.all(
    Array.from({ length: watchers }, () =>
      watch(kubeconfig, () => {
        seen.events++;
      }),
    ),
  );
  const start = performance.now();
  await parallel(count, 8, (index) => create(kubeconfig, `w${watchers}-${index}`));
  const took = seconds(start);
  while (seen.events < watchers * count) await delay(10);
  for (const stop of stops) stop();
  return count / took;
}

/** From the start of a write on a quiet server until a watcher has it. */
async function watchLatency(kubeconfig: Kubeconfig): Promise<number> {
  const arrivals: number[] = [];
  const stop = await watch(kubeconfig, () => {
    arrivals.push(performance.now());
  });
  const times: number[] = [];
  for (let index = 0; index < 200; index++) {
    const before = performance.now();
    await create(kubeconfig, `l-${index}`);
    while (arrivals.length <= index) await new Promise<void>((resolve) => setImmediate(resolve));
    times.push(arrivals[index]! - before);
  }
  stop();
  return quantile(times, 0.99);
}

/** Follows a watch in this process. Returns a function that ends it. */
function watch(kubeconfig: Kubeconfig, onEvent: (name: string) => void): Promise<() => void> {
  const url = new URL(kubeconfig.clusters[0].cluster.server);
  const query = "watch=1&resourceVersion=&sendInitialEvents=false&resourceVersionMatch=NotOlderThan";
  return new Promise((resolve, reject) => {
    const call = request(
      {
        host: url.hostname,
        port: url.port,
        path: `${things}?${query}`,
        rejectUnauthorized: false,
        headers: { Authorization: `Bearer ${kubeconfig.users[0].user.token}` },
      },
      (response) => {
        let rest = "";
        response.setEncoding("utf8");
        response.on("error", () => undefined);
        response.on("data", (chunk: string) => {
          const lines = (rest + chunk).split("\n");
          rest = lines.pop()!;
          for (const line of lines) onEvent(line);
        });
        resolve(() => call.destroy());
      },
    );
    call.on("error", reject);
    call.end();
  });
}

async function parallel(count: number, width: number, run: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (next < count) await run(next++);
    }),
  );
}

function seconds(since: number): number {
  return (performance.now() - since) / 1000;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}
