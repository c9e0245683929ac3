/**
 * Small patches over TLS, 32 in flight, by the runtime's client: over its own sockets, and over those of undici and of
 * Node's own HTTP client in their place, in turns on the same server.
 * Run: npm run lab -- bench runtime-requests
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import type { OutgoingHttpHeaders } from "node:http";
import https from "node:https";
import { text } from "node:stream/consumers";
import { defineKind, type KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { type ClusterConfig, createClient } from "@tsbuilder/runtime";
import { Pool } from "undici";

type Carrier = NonNullable<ClusterConfig["carry"]>;

const requests = 10_000;
const inFlight = 32;
const rounds = 5;
const ConfigMap = defineKind<KubernetesObject & { data?: { [key: string]: string } }>(
  { group: "", version: "v1" },
  { kind: "ConfigMap", plural: "configmaps" },
);

const server = fork(new URL("servers/tls-server.ts", import.meta.url));
const [{ port, ca }] = (await once(server, "message")) as [{ port: number; ca: string }];
const url = `https://127.0.0.1:${port}`;
const ref = { namespace: "default", name: "a" };

const pool = new Pool(url, { connections: 64, pipelining: 1, connect: { ca } });
const agent = new https.Agent({ keepAlive: true, maxSockets: 64, ca });

/** The least that a carrier must do. Streams, proxies, CA files and ends of connections are left out. */
const overUndici: Carrier = async ({ method, path, headers, body }, { timeout, signal }) => {
  const answer = await pool.request({
    method,
    path,
    headers: headers as { [name: string]: string },
    body: body ?? null,
    headersTimeout: timeout,
    bodyTimeout: timeout,
    ...(signal && { signal }),
  });
  return answerOf(answer.statusCode, answer.headers, await answer.body.text());
};

const overNode: Carrier = ({ method, path, headers, body }, { timeout, signal }) =>
  new Promise((resolve, reject) => {
    const target = { agent, host: "127.0.0.1", port, method, path, timeout, ...(signal && { signal }) };
    const request = https.request({ ...target, headers: headers as OutgoingHttpHeaders }, (answer) => {
      text(answer).then((body) => resolve(answerOf(answer.statusCode!, answer.headers, body)), reject);
    });
    request.on("error", reject).end(body);
  });

function answerOf(status: number, headers: object, text: string): Awaited<ReturnType<Carrier>> {
  return {
    status,
    headers: headers as { [name: string]: string },
    text,
    bytes: text.length,
    stream: undefined,
  };
}

const clients = {
  "own sockets": createClient({ server: url, ca }),
  undici: createClient({ server: url, carry: overUndici }),
  "node:https": createClient({ server: url, carry: overNode }),
};
const figures: { [name: string]: { perSecond: number; cpu: number }[] } = {};
for (let round = 0; round < rounds; round++) {
  for (const [name, client] of Object.entries(clients)) (figures[name] ??= []).push(await measure(client));
}
console.log(
  `node ${process.version}, undici ${(await import("undici/package.json", { with: { type: "json" } })).default.version}`,
);
for (const [name, all] of Object.entries(figures)) {
  const rates = all.map(({ perSecond }) => perSecond).toSorted((a, b) => a - b);
  const cpus = all.map(({ cpu }) => cpu).toSorted((a, b) => a - b);
  const middle = (rounds - 1) / 2;
  console.log(
    `${name}: ${rates[middle]!.toFixed(0)} requests/s (${rates[0]!.toFixed(0)} to ${rates.at(-1)!.toFixed(0)}), ` +
      `${cpus[middle]!.toFixed(0)} µs of processor time each (${cpus[0]!.toFixed(0)} to ${cpus.at(-1)!.toFixed(0)})`,
  );
}
for (const client of Object.values(clients)) await client.close();
await pool.close();
agent.destroy();
server.disconnect();

async function measure(client: ReturnType<typeof createClient>): Promise<{ perSecond: number; cpu: number }> {
  const send = (at: number) => client.patch(ConfigMap, ref, { merge: { data: { count: String(at) } } });
  for (let at = 0; at < 500; at++) await send(at);
  const cpu = process.cpuUsage();
  const started = performance.now();
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < requests) await send(next++);
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  const perSecond = requests / ((performance.now() - started) / 1000);
  const { user, system } = process.cpuUsage(cpu);
  return { perSecond, cpu: (user + system) / requests };
}
