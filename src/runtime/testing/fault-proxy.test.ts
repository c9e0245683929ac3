import { writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { expect, onTestFinished, test } from "vitest";
import { FakeClock, settled } from "@tsbuilder/apimachinery/time";
import { startClusterUnderTest } from "../../../e2e/support/runtime/cluster-under-test.ts";
import { createClient } from "../client/live-client.ts";
import { loadConfig } from "../config/load-config.ts";
import type { ApiError } from "../errors/api-error.ts";
import type { ClusterConfig } from "../http/config.ts";
import type { RawResponse } from "../http/transport.ts";
import { eventually } from "./eventually.ts";
import { type FaultProxy, type ProxiedRequest, type ProxyFault, startFaultProxy } from "./fault-proxy.ts";
import { answerJSON, startStubServer } from "./stub-server.ts";

/** A client, the proxy between it and a server that answers everything, and the requests that reached the server. */
async function startProxiedServer() {
  const server = await startStubServer((_, response) => answerJSON(response, { kind: "Thing" }));
  const clock = new FakeClock();
  const proxy = await startFaultProxy(server.config, { clock });
  const client = createClient(proxy.config, { clock });
  onTestFinished(async () => {
    await client.close();
    await proxy.close();
    await server.close();
  });
  const send = (): Promise<RawResponse | ApiError> =>
    client.request({ method: "POST", path: "/things" }).catch((error: ApiError) => error);
  return { server, clock, proxy, send };
}

const once = (proxy: FaultProxy, fault: ProxyFault): void => {
  proxy.onRequest = () => {
    proxy.onRequest = () => undefined;
    return fault;
  };
};

test.each<[ProxyFault, object, number]>([
  [{ type: "refuse" }, { isUnreachable: true }, 0],
  [{ type: "reset", after: 0 }, { isUnreachable: true }, 1],
  [{ type: "reset", after: 20 }, { isUnreachable: true }, 1],
  [{ type: "truncate", after: 20 }, { isUnreachable: true }, 1],
  [{ type: "answer", status: 503, body: "<html>no backend</html>" }, { status: 503 }, 0],
  [{ type: "answer", status: 200, body: "" }, { status: 200, text: "" }, 0],
])(
  "startFaultProxy(): after %o the client gets %o, and the server %i requests",
  async (fault, expected, reached) => {
    const { server, proxy, send } = await startProxiedServer();
    once(proxy, fault);
    expect(await send()).toMatchObject(expected);
    expect(server.requests).toHaveLength(reached);
    expect(await send()).toMatchObject({ status: 200 });
  },
);

test.each<[ProxyFault, number]>([
  [{ type: "swallow" }, 0],
  [{ type: "freeze", after: 0 }, 1],
  [{ type: "freeze", after: 20 }, 1],
])("startFaultProxy(): after %o the client gives up when its time is over", async (fault, reached) => {
  const { server, clock, proxy, send } = await startProxiedServer();
  once(proxy, fault);
  const answer = send();
  await settled();
  expect(server.requests).toHaveLength(reached);
  await clock.advance(65_000);
  expect(await answer).toMatchObject({ isTimeout: true });
});

test("startFaultProxy() delays answers by its clock", async () => {
  const { clock, proxy, send } = await startProxiedServer();
  once(proxy, { type: "slow", milliseconds: 3000 });
  let isThere = false;
  const answer = send().then((response) => {
    isThere = true;
    return response;
  });
  await settled();
  await clock.advance(2999);
  await settled();
  expect(isThere).toBe(false);
  await clock.advance(1);
  expect(await answer).toMatchObject({ status: 200 });
});

test("startFaultProxy() holds requests and answers, and passes them on later", async () => {
  const { server, proxy, send } = await startProxiedServer();
  await send();
  proxy.isHeld = true;
  const answer = send();
  await settled();
  expect(server.requests).toHaveLength(1);
  proxy.isHeld = false;
  expect(await answer).toMatchObject({ status: 200 });
  expect([proxy.open, server.requests.length]).toEqual([1, 2]);
});

test("startFaultProxy() holds connections that are opened in the meantime, too", async () => {
  const { server, proxy, send } = await startProxiedServer();
  proxy.isHeld = true;
  const answer = send();
  await eventually(() => expect(proxy.open).toBe(1));
  await settled();
  expect([server.requests.length, proxy.unanswered]).toEqual([0, 0]);
  proxy.isHeld = false;
  expect(await answer).toMatchObject({ status: 200 });
});

test("startFaultProxy() resets new connections or lets them hang, and cuts all", async () => {
  const { server, clock, proxy, send } = await startProxiedServer();
  await send();
  expect([proxy.open, server.connections.open]).toEqual([1, 1]);
  proxy.cut();
  await settled();
  expect(proxy.open).toBe(0);
  proxy.connections = "reset";
  expect(await send()).toMatchObject({ isUnreachable: true });
  proxy.connections = "hang";
  const answer = send();
  await settled();
  await clock.advance(65_000);
  expect(await answer).toMatchObject({ isTimeout: true });
  expect(server.requests).toHaveLength(1);
});

test("startFaultProxy() shows requests and the status of their answers, and reaches a server with TLS", async () => {
  const cluster = await startClusterUnderTest();
  const proxy = await startFaultProxy(await loadConfig({ kubeconfig: cluster.kubeconfig, env: {} }));
  const client = createClient(proxy.config);
  onTestFinished(async () => {
    await client.close();
    await proxy.close();
    await cluster.stop();
  });
  const seen: ProxiedRequest[] = [];
  proxy.onAnswer = (request) => void seen.push(request);
  await client.request({ path: "/version", query: { pretty: true } });
  const body = { metadata: { name: "seen" } };
  await client.request({ method: "POST", path: "/api/v1/namespaces", body });
  expect(seen).toMatchObject([
    { method: "GET", path: "/version?pretty=true", status: 200 },
    { method: "POST", path: "/api/v1/namespaces", status: 201 },
  ]);
  expect(seen[1]!.text).toContain(JSON.stringify(body));
});

test.each<[string, (ca: string, folder: string) => Partial<ClusterConfig>]>([
  ["a file of CAs", (ca, folder) => ({ caFile: writeCA(folder, ca) })],
  ["a certificate that nobody verifies", () => ({ insecureSkipTlsVerify: true })],
  ["a name that the certificate has", (ca) => ({ ca, tlsServerName: "localhost" })],
])("startFaultProxy() reaches a server with %s", async (_, tls) => {
  const folder = await mkdtemp(join(tmpdir(), "fault-proxy-"));
  const cluster = await startTestCluster();
  const { ca = "", ...config } = await loadConfig({ kubeconfig: cluster.kubeconfig, env: {} });
  const proxy = await startFaultProxy({ ...config, ...tls(ca, folder) });
  const client = createClient(proxy.config);
  onTestFinished(async () => {
    await client.close();
    await proxy.close();
    await cluster.stop();
    await rm(folder, { recursive: true });
  });
  expect((await client.request({ path: "/version" })).status).toBe(200);
  expect(proxy.unanswered).toBe(0);
});

function writeCA(folder: string, ca: string): string {
  const file = join(folder, "ca.crt");
  writeFileSync(file, ca);
  return file;
}
