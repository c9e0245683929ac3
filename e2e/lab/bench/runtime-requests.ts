/**
 * Small patches over TLS, 32 in flight: the runtime's client compared with Node's fetch on the same server.
 * Run: node --conditions=@tsbuilder/source --import tsx e2e/lab/bench/run.ts runtime-requests
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { defineKind, type KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { createClient } from "@tsbuilder/runtime";

const requests = 10_000;
const inFlight = 32;
const ConfigMap = defineKind<KubernetesObject & { data?: { [key: string]: string } }>(
  { group: "", version: "v1" },
  { kind: "ConfigMap", plural: "configmaps" },
);

const server = fork(new URL("servers/tls-server.ts", import.meta.url));
let connections = 0;
const [{ port, ca }] = (await once(server, "message")) as [{ port: number; ca: string }];
server.on("message", (message: { connections: number }) => {
  connections = message.connections;
});
const url = `https://127.0.0.1:${port}`;
const path = "/api/v1/namespaces/default/configmaps/a";
const ref = { namespace: "default", name: "a" };

const client = createClient({ server: url, ca });
const ours = await measure("client.patch", (at) =>
  client.patch(ConfigMap, ref, { merge: { data: { count: String(at) } } }),
);
await client.close();

process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
process.removeAllListeners("warning");
const theirs = await measure("fetch", async (at) => {
  const response = await fetch(url + path, {
    method: "PATCH",
    headers: { "content-type": "application/merge-patch+json" },
    body: JSON.stringify({ data: { count: String(at) } }),
  });
  return response.json();
});
console.log(`client / fetch: ${(ours / theirs).toFixed(1)} times as many requests per second`);
server.disconnect();

async function measure(name: string, send: (at: number) => Promise<unknown>): Promise<number> {
  for (let at = 0; at < 500; at++) await send(at);
  const before = connections;
  const cpu = process.cpuUsage();
  const started = performance.now();
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < requests) await send(next++);
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  const perSecond = requests / ((performance.now() - started) / 1000);
  const { user, system } = process.cpuUsage(cpu);
  console.log(
    `${name}: ${perSecond.toFixed(0)} requests/s, ${((user + system) / requests).toFixed(0)} µs CPU each, ` +
      `${connections - before} new connections`,
  );
  return perSecond;
}
