import { once } from "node:events";
import http, { type IncomingMessage, type ServerResponse } from "node:http";
import https from "node:https";
import net, { type AddressInfo } from "node:net";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import { settled } from "@tsbuilder/apimachinery/time";
import { expect, onTestFinished, test } from "vitest";
import { startApiGateway } from "./api-gateway.ts";

const ca = createCA({ commonName: "test" });

/** A gateway in front of a server that a test answers for; `watch` sends a watch, and returns both ends of it. */
async function start() {
  const server = https.createServer(issueCertificate(ca, { ipAddresses: ["127.0.0.1"], usages: ["server"] }));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const gateway = await startApiGateway({
    "current-context": "test",
    contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
    clusters: [{ name: "test", cluster: { server: `https://127.0.0.1:${port}` } }],
    users: [{ name: "test", user: {} }],
  });
  onTestFinished(async () => {
    await gateway.close();
    server.close();
  });
  const watch = async (query: string) => {
    const sent = http.get(`${gateway.url}/api/v1/secrets?watch=true${query}`);
    const [, upstream] = (await once(server, "request")) as [IncomingMessage, ServerResponse];
    upstream.writeHead(200);
    upstream.flushHeaders();
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    /** Resolves when the client has what the server sends. */
    const send = async (text: string): Promise<void> => {
      upstream.write(text);
      for (let got = 0; got < text.length;) got += ((await once(answer, "data")) as [Buffer])[0].length;
    };
    return send;
  };
  return { gateway, server, watch };
}

test("a gateway is not busy with a watch that is open", async () => {
  const { gateway, watch } = await start();
  const send = await watch("");
  await send("{}\n");
  expect(gateway.isBusy).toBe(false);
});

test("a gateway is busy with a list that is streamed by a watch until all of it has come", async () => {
  const { gateway, watch } = await start();
  const send = await watch("&sendInitialEvents=true");
  expect(gateway.isBusy).toBe(true);
  await send('{"type":"ADDED"}\n');
  expect(gateway.isBusy).toBe(true);
  await send('{"type":"BOOKMARK","annotations":{"k8s.io/initial-');
  expect(gateway.isBusy).toBe(true);
  await send('events-end":"true"}}\n');
  expect(gateway.isBusy).toBe(false);
});

test("a gateway is busy until a client of this process has read what it was sent", async () => {
  const { gateway, server } = await start();
  const { hostname, port } = new URL(gateway.url);
  const client = net.connect(Number(port), hostname).pause();
  client.write("GET /api/v1/secrets?watch=true&sendInitialEvents=true HTTP/1.1\r\nHost: test\r\n\r\n");
  const [, upstream] = (await once(server, "request")) as [IncomingMessage, ServerResponse];
  upstream.write('{"type":"BOOKMARK","annotations":{"k8s.io/initial-events-end":"true"}}\n');
  await settled();
  expect(gateway.isBusy).toBe(true);
  client.resume();
  await settled(() => gateway.isBusy);
  expect(client.bytesRead).toBeGreaterThan(0);
});
