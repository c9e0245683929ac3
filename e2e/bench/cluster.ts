import { spawn } from "node:child_process";
import { once } from "node:events";
import { request } from "node:https";
import { Agent } from "node:https";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { installLaunchers, startCluster } from "@tsbuilder/cluster";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import type { Kubeconfig } from "../../src/cluster/kubeconfig.ts";
import { send } from "../../src/cluster/testing/send.ts";
import { writeFileSync } from "node:fs";

/** Measures the embedded cluster and prints what came out; goals stand in the design, nothing is asserted. */
async function measure(): Promise<void> {
  report("in-process start", await timeStart(), "ms", "< 50");
  report("process start to /readyz", await timeProcess(), "ms", "< 250 (sources through tsx: add 200)");
  const cluster = await startTestCluster({ crds: [definition] });
  try {
    await measureLists(cluster);
    for (const watchers of [0, 10, 100]) await measureWrites(cluster, watchers);
    report("resident memory", Math.round(process.memoryUsage().rss / 1024 / 1024), "MB", "");
  } finally {
    await cluster.stop();
  }
}

function report(what: string, value: number, unit: string, goal: string): void {
  console.log(
    `${what.padEnd(48)} ${String(value).padStart(8)} ${unit}${goal === "" ? "" : `   goal ${goal}`}`,
  );
}

async function timeStart(): Promise<number> {
  await (await startCluster()).stop();
  const start = performance.now();
  const cluster = await startCluster();
  const took = performance.now() - start;
  await cluster.stop();
  return Math.round(took);
}

async function timeProcess(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  const [program] = installLaunchers(folder);
  const ca = createCA({ commonName: "bench" });
  const serving = issueCertificate(ca, { ipAddresses: ["127.0.0.1"], usages: ["server"] });
  writeFileSync(join(folder, "apiserver.crt"), serving.cert);
  writeFileSync(join(folder, "apiserver.key"), serving.key);
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  const start = performance.now();
  const child = spawn(program!, [`--cert-dir=${folder}`, `--secure-port=${port}`], { stdio: "ignore" });
  const agent = new Agent({ ca: ca.cert });
  while ((await ready(port, agent)) !== 200) await new Promise((resolve) => setTimeout(resolve, 5));
  const took = performance.now() - start;
  child.kill("SIGTERM");
  await once(child, "exit");
  rmSync(folder, { recursive: true });
  return Math.round(took);
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

const things = "/apis/bench.example.com/v1/namespaces/default/things";
const thing = (name: string) => ({
  apiVersion: "bench.example.com/v1",
  kind: "Thing",
  metadata: { name, labels: { app: "bench", shard: name.slice(-1) } },
  spec: { size: 3, text: "x".repeat(400), list: [{ name: "a", value: "b" }] },
});

async function measureLists({ kubeconfig }: TestCluster): Promise<void> {
  const start = performance.now();
  await parallel(10_000, 16, (index) => create(kubeconfig, `t-${index}`));
  report("creates/s, no watcher, TLS", Math.round(10_000 / ((performance.now() - start) / 1000)), "1/s", "");
  await send(kubeconfig, { method: "GET", path: things });
  const times: number[] = [];
  for (let index = 0; index < 5; index++) {
    const before = performance.now();
    await send(kubeconfig, { method: "GET", path: `${things}?resourceVersion=0` });
    times.push(performance.now() - before);
  }
  report(
    "list of 10,000, with transfer and JSON.parse",
    Math.round(median(times)),
    "ms",
    "< 40 at the server",
  );
}

async function create(kubeconfig: Kubeconfig, name: string): Promise<void> {
  const { code, text } = await send(kubeconfig, { method: "POST", path: things, body: thing(name) });
  if (code !== 201) throw new Error(text);
}

async function measureWrites({ kubeconfig }: TestCluster, watchers: number): Promise<void> {
  const count = 3000;
  let left = watchers * count;
  let allSeen = (): void => undefined;
  const seen = new Promise<void>((resolve) => {
    allSeen = resolve;
  });
  if (left === 0) allSeen();
  const latencies: number[] = [];
  const sent = new Map<string, number>();
  const stops = await Promise.all(
    Array.from({ length: watchers }, (_, index) =>
      watch(kubeconfig, (name) => {
        left--;
        if (left === 0) allSeen();
        const at = sent.get(name);
        if (index === 0 && at !== undefined) latencies.push(performance.now() - at);
      }),
    ),
  );
  const start = performance.now();
  await parallel(count, 8, async (index) => {
    const name = `w${watchers}-${index}`;
    sent.set(name, performance.now());
    await create(kubeconfig, name);
  });
  const took = performance.now() - start;
  await seen;
  const goal = watchers === 10 ? ">= 2,000" : "";
  report(`writes/s with ${watchers} watchers, TLS`, Math.round(count / (took / 1000)), "1/s", goal);
  if (watchers === 10) {
    const quiet: number[] = [];
    for (let index = 0; index < 200; index++) {
      latencies.length = 0;
      const name = `l-${index}`;
      sent.set(name, performance.now());
      await create(kubeconfig, name);
      while (latencies.length === 0) await new Promise<void>((resolve) => setImmediate(resolve));
      quiet.push(latencies[0]!);
    }
    quiet.sort((a, b) => a - b);
    report("watch latency p99, request included", Number(quiet[197]!.toFixed(1)), "ms", "< 5");
  }
  for (const stop of stops) stop();
}

/** Follows a watch in this process; the answer ends it. */
function watch(kubeconfig: Kubeconfig, onEvent: (name: string) => void): Promise<() => void> {
  const { server, "certificate-authority-data": ca } = kubeconfig.clusters[0].cluster;
  const url = new URL(server);
  return new Promise((resolve, reject) => {
    const call = request(
      {
        host: url.hostname,
        port: url.port,
        path: `${things}?watch=1&resourceVersion=&sendInitialEvents=false&resourceVersionMatch=NotOlderThan`,
        ca: Buffer.from(ca!, "base64"),
        headers: { Authorization: `Bearer ${kubeconfig.users[0].user.token}` },
      },
      (response) => {
        let rest = "";
        response.setEncoding("utf8");
        response.on("error", () => undefined);
        response.on("data", (chunk: string) => {
          const lines = (rest + chunk).split("\n");
          rest = lines.pop()!;
          for (const line of lines) onEvent(/"name":"([^"]+)"/.exec(line)?.[1] ?? "");
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

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.bench.example.com" },
  spec: {
    group: "bench.example.com",
    scope: "Namespaced",
    names: { plural: "things", kind: "Thing" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  size: { type: "integer", minimum: 1 },
                  text: { type: "string" },
                  list: {
                    type: "array",
                    items: {
                      type: "object",
                      properties: { name: { type: "string" }, value: { type: "string" } },
                    },
                  },
                },
              },
              status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
            },
          },
        },
      },
    ],
  },
};

await measure();
