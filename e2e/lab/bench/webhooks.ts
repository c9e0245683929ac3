/**
 * The latency of admission at a steady 500 calls a second, compared with a bare HTTPS server that sends the same
 * bytes.
 * Run: node --conditions=@tsbuilder/source --import tsx e2e/lab/bench/run.ts webhooks
 */
import { Agent, createServer, request } from "node:https";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import { createLogger, type CustomResource, defineKind, Manager } from "@tsbuilder/runtime";

interface Disk extends CustomResource<{ size?: number }> {}
const Disk = defineKind<Disk>(
  { group: "bench.example.com", version: "v1" },
  { kind: "Disk", plural: "disks" },
);

const perSecond = 500;
const seconds = 4;
const folder = mkdtempSync(join(tmpdir(), "tsbuilder-bench-"));
const ca = createCA({ commonName: "bench" });
const { cert, key } = issueCertificate(ca, { ipAddresses: ["127.0.0.1"], usages: ["server"] });
writeFileSync(join(folder, "tls.crt"), cert);
writeFileSync(join(folder, "tls.key"), key);

const manager = new Manager({
  name: "bench",
  config: { server: "http://127.0.0.1:1" },
  logger: createLogger({ level: "error" }),
  webhooks: { port: 0, host: "127.0.0.1", certPath: folder },
});
manager
  .webhookFor(Disk)
  .defaulter({
    default(disk) {
      disk.spec.size ??= 1;
    },
  })
  .complete();
const end = manager.start();
await manager.started;

const review = JSON.stringify({
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: {
    uid: "u",
    operation: "CREATE",
    kind: { group: "bench.example.com", version: "v1", kind: "Disk" },
    resource: { group: "bench.example.com", version: "v1", resource: "disks" },
    userInfo: {},
    object: {
      apiVersion: "bench.example.com/v1",
      kind: "Disk",
      metadata: { name: "d", namespace: "default", annotations: { text: "x".repeat(4000) } },
      spec: {},
    },
  },
});
const agent = new Agent({ keepAlive: true, ca: ca.cert });
const url = `https://${manager.addresses.webhooks}/mutate-bench-example-com-v1-disk`;
const reply = await post(url);
const bare = createServer({ cert, key }, (incoming, response) => {
  incoming.resume().on("end", () => response.end(reply));
});
await new Promise<void>((resolve) => {
  bare.listen(0, "127.0.0.1", resolve);
});

const servers = {
  tsbuilder: url,
  "bare server": `https://127.0.0.1:${(bare.address() as AddressInfo).port}/`,
};
for (const target of Object.values(servers)) await measure(target, 1);
const results = new Map<string, number[]>();
for (const [name, target] of Object.entries(servers)) results.set(name, await measure(target, seconds));

console.log(`${perSecond} calls/s for ${seconds} s, node ${process.version}`);
for (const percent of [50, 99]) {
  const [ours = 0, theirs = 0] = [...results.values()].map((values) => percentile(values, percent));
  console.log(
    `admission p${percent} ms: tsbuilder ${ours.toFixed(2)}, bare server ${theirs.toFixed(2)}, ratio ${(ours / theirs).toFixed(2)}`,
  );
}
manager.stop();
await end;
bare.close();
agent.destroy();
rmSync(folder, { recursive: true, force: true });

async function measure(target: string, duration: number): Promise<number[]> {
  const latencies: number[] = [];
  const calls: Promise<void>[] = [];
  const startedAt = performance.now();
  for (let call = 0; call < perSecond * duration; call++) {
    const wait = startedAt + (call * 1000) / perSecond - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    const at = performance.now();
    calls.push(post(target).then(() => void latencies.push(performance.now() - at)));
  }
  await Promise.all(calls);
  return latencies;
}

function post(target: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json" };
    request(target, { method: "POST", agent, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve(text));
    })
      .on("error", reject)
      .end(review);
  });
}

function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor((sorted.length * percent) / 100)] ?? Number.NaN;
}
