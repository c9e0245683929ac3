import { spawn } from "node:child_process";
import { request } from "node:https";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { gunzipSync } from "node:zlib";
import { parse } from "yaml";
import { TimeSlices } from "../http/time-slices.ts";
import { agentFor, send } from "../testing/send.ts";
import { openWatch } from "../testing/testdata/open-watch.ts";
import { FakeClock, startTestCluster, type TestCluster } from "../testing/index.ts";
import { blockSize } from "./send-reply.ts";
import { serve } from "./serve.ts";

let cluster: TestCluster;
const path = "/api/v1/namespaces/default/configmaps";
const count = 3000;

beforeAll(async () => {
  cluster = await startTestCluster();
  const { store } = cluster.core;
  const maps = store.collection("configmaps");
  for (let index = 0; index < count; index++) {
    const name = `c-${String(index).padStart(5, "0")}`;
    const metadata = { name, namespace: "default", labels: { odd: String(index % 2 === 1) } };
    const data = { text: "x".repeat(8000) };
    store.put(maps, `default/${name}`, { apiVersion: "v1", kind: "ConfigMap", metadata, data });
  }
});
afterAll(() => cluster.stop());

interface List {
  readonly items: ReadonlyArray<{ readonly metadata: { readonly name: string } }>;
  readonly rows: readonly unknown[];
}

const get = async (query = "", accept = "application/json"): Promise<List> =>
  (await send(cluster.kubeconfig, { method: "GET", path: `${path}${query}`, headers: { Accept: accept } }))
    .body as List;

test("a list of many megabytes is complete, in every form", async () => {
  const whole = await get();
  expect(whole.items.map(({ metadata }) => metadata.name)).toEqual(
    Array.from({ length: count }, (_, index) => `c-${String(index).padStart(5, "0")}`),
  );
  const forms = [
    ["application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", "items"],
    ["application/json;as=Table;g=meta.k8s.io;v=v1", "rows"],
  ] as const;
  for (const [accept, field] of forms) expect((await get("", accept))[field]).toHaveLength(count);
  expect((await get("?labelSelector=odd%3Dtrue")).items).toHaveLength(count / 2);
  const page = (await get("?labelSelector=odd%3Dtrue&limit=10")).items;
  expect(page.map(({ metadata }) => metadata.name)).toEqual(
    Array.from({ length: 10 }, (_, index) => `c-${String(2 * index + 1).padStart(5, "0")}`),
  );
});

test.each([
  ["objects", ""],
  ["metadata", ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"],
  ["rows", ";as=Table;g=meta.k8s.io;v=v1"],
])("a list of %s is the same in YAML", async (_, form) => {
  const read = async (type: string, query: string): Promise<string> => {
    const headers = { Accept: `${type}${form}` };
    return (await send(cluster.kubeconfig, { method: "GET", path: `${path}${query}`, headers })).text;
  };
  for (const query of ["?limit=40", "?limit=1", "?labelSelector=odd%3Dmaybe"]) {
    const yaml = parse(await read("application/yaml", query)) as unknown;
    expect(yaml).toEqual(JSON.parse(await read("application/json", query)));
  }
});

test("a list is compressed for clients that accept it", async () => {
  const { hostname, port } = new URL(cluster.url);
  const headers = {
    "Accept-Encoding": "gzip",
    Authorization: `Bearer ${cluster.kubeconfig.users[0].user.token}`,
  };
  const call = request({ host: hostname, port, path, headers, agent: agentFor(cluster.kubeconfig) }).end();
  const [response] = (await once(call, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  expect(response.headers["content-encoding"]).toBe("gzip");
  const { items } = JSON.parse(gunzipSync(Buffer.concat(chunks)).toString()) as List;
  expect(items).toHaveLength(count);
});

test("a watch sends more initial objects than fit into the backlog of a slow client", async () => {
  const watch = await openWatch(cluster.kubeconfig, `${path}?watch=1`);
  await expect.poll(() => watch.events.length).toBe(count);
  watch.close();
});

test("a watch that times out while the initial objects are sent sends all of them before it ends", async () => {
  const clock = new FakeClock();
  const other = await startTestCluster({ clock });
  const maps = other.core.store.collection("configmaps");
  for (const entry of cluster.core.store.collection("configmaps").list()) {
    other.core.store.put(maps, entry.key, { ...entry.object, data: {} });
  }
  const watch = await openWatch(other.kubeconfig, `${path}?watch=1&timeoutSeconds=1`);
  await clock.advance(1000);
  await watch.ended;
  expect(watch.events).toHaveLength(maps.list("default/").length);
  await other.stop();
});

test("changes while the initial objects are sent follow them, in order", async () => {
  const watch = await openWatch(cluster.kubeconfig, `${path}?watch=1`);
  watch.pause();
  for (const name of ["new-1", "new-2"]) {
    await send(cluster.kubeconfig, { method: "POST", path, body: { metadata: { name } } });
  }
  watch.resume();
  await expect.poll(() => watch.events.length).toBe(count + 2);
  expect(watch.events.slice(-2).map(({ object }) => object.metadata.name)).toEqual(["new-1", "new-2"]);
  watch.close();
});

test("a large body waits for a client that does not read it", async () => {
  const parts = Array.from({ length: 200 }, () => Buffer.alloc(blockSize, "x"));
  let sending: ServerResponse | undefined;
  const listener = serve({
    handler: () => ({ code: 200, body: parts }),
    report: () => expect.unreachable(),
    slices: new TimeSlices(),
  });
  const server = createServer((request, response) => {
    sending = response;
    listener(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.pause();
  client.write("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
  await expect.poll(() => sending?.writableNeedDrain).toBe(true);
  expect(sending!.writableLength).toBeLessThanOrEqual(2 * blockSize);

  let received = 0;
  client.on("data", (chunk: Buffer) => {
    received += chunk.length;
  });
  client.resume();
  await expect.poll(() => sending!.writableFinished).toBe(true);
  await expect.poll(() => received).toBeGreaterThan(200 * blockSize);
  client.destroy();
  server.close();
});

test("the response to a client that has disconnected ends", async () => {
  const parts = Array.from({ length: 200 }, () => Buffer.alloc(blockSize, "x"));
  const ended: boolean[] = [];
  const listener = serve({
    handler: () => ({ code: 200, body: parts }),
    report: () => expect.unreachable(),
    slices: new TimeSlices(),
  });
  const server = createServer((request, response) => {
    response.on("close", () => ended.push(response.writableFinished));
    listener(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  client.write("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(client, "readable");
  client.destroy();
  await expect.poll(() => ended).toEqual([false]);
  server.close();
});

test("a client sends its next request as soon as it has a large response", async () => {
  await send(cluster.kubeconfig, { method: "POST", path, body: { metadata: { name: "large" } } });
  const codes = await inOtherProcess(`
    const text = "x".repeat(300_000);
    const put = () => new Promise((resolve, reject) => {
      const call = request(options, (response) => response.resume().on("end", () => resolve(response.statusCode)));
      call.on("error", reject).end(JSON.stringify({ metadata: { name: "large" }, data: { text } }));
    });
    for (let index = 0; index < 60; index++) codes.push(await put());`);
  expect(codes).toEqual(Array.from({ length: 60 }, () => 200));
});

/** A client in the server's process would only send when the server is idle. */
async function inOtherProcess(code: string): Promise<unknown> {
  const { hostname, port } = new URL(cluster.url);
  const options = {
    host: hostname,
    port,
    path: `${path}/large`,
    method: "PUT",
    rejectUnauthorized: false,
    headers: {
      Authorization: `Bearer ${cluster.kubeconfig.users[0].user.token}`,
      "Content-Type": "application/json",
    },
  };
  const script = `import { Agent, request } from "node:https";
    const options = { ...${JSON.stringify(options)}, agent: new Agent({ keepAlive: true }) };
    const codes = [];
    ${code}
    console.log(JSON.stringify(codes));
    options.agent.destroy();`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  for await (const chunk of child.stdout) text += String(chunk);
  return JSON.parse(text || "null") as unknown;
}
