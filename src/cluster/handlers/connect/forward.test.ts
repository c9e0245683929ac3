import { once } from "node:events";
import { type IncomingMessage, type RequestListener, createServer } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import { type AddressInfo, type Server, createServer as createPlainServer } from "node:net";
import { text } from "node:stream/consumers";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import { expect, onTestFinished, test } from "vitest";
import type { Connect } from "../../contract/kubelet-tls.ts";
import { TimeSlices } from "../../http/time-slices.ts";
import { listen } from "../../server/serve.ts";
import { FakeClock } from "../../testing/index.ts";
import { forward, replyOf } from "./forward.ts";

// A server that passes all requests on to one destination, whatever its address.

const ca = createCA({ commonName: "cluster" });
const serving = issueCertificate(ca, { ipAddresses: ["127.0.0.1"], usages: ["server"] });

async function listenOn(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function startDestination(listener: RequestListener): Promise<URL> {
  const server = createServer(listener);
  onTestFinished(() => server.closeAllConnections());
  return new URL(`http://${await listenOn(server)}/`);
}

async function startForwarding(url: URL, clock = new FakeClock(), connect?: Connect): Promise<string> {
  const core = { connectionClock: clock, servingCertificate: serving.cert, ...(connect && { connect }) };
  const listener = await listen(
    (context) =>
      forward(context, core, { url }).then(replyOf, (error: Error) => ({ code: 500, body: error.message })),
    {
      host: "127.0.0.1",
      port: 0,
      serving,
      clientCA: [ca.cert],
      slices: new TimeSlices(),
      onError: () => expect.unreachable(),
    },
  );
  onTestFinished(() => listener.close());
  return listener.url;
}

test("headers that Connection names are about one connection, in both directions", async () => {
  let seen: IncomingMessage["headers"] = {};
  const url = await startDestination(({ headers }, response) => {
    seen = headers;
    response.setHeader("Connection", "close, X-Back");
    response.setHeader("X-Back", "1");
    response.setHeader("X-Kept", "1");
    response.setHeader("Access-Control-Allow-Origin", "*");
    response.end();
  });
  const headers = { Connection: "close, X-Once", "X-Once": "1", "X-Kept": "1" };
  const call = httpsRequest(await startForwarding(url), { headers, ca: ca.cert, agent: false }).end();
  const [response] = (await once(call, "response")) as [IncomingMessage];
  response.resume();
  expect(seen).toMatchObject({ "x-kept": "1" });
  expect(seen).not.toHaveProperty("x-once");
  expect(response.headers).toMatchObject({ "x-kept": "1" });
  expect(response.headers).not.toHaveProperty("x-back");
  // The API server itself says whose pages may read its responses.
  expect(response.headers).not.toHaveProperty("access-control-allow-origin");
});

test("a client gets the response of a destination that does not read its body to the end", async () => {
  const [begin, length] = [100_000, 20_000_000];
  const url = await startDestination((request, response) => {
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size < begin || response.headersSent) return;
      response.writeHead(413, { Connection: "close" }).end("too large", () => request.socket.destroySoon());
    });
  });
  const headers = { "Content-Length": length };
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const options = { method: "POST", headers, ca: ca.cert, agent };
  const call = httpsRequest(await startForwarding(url), options);
  call.write(Buffer.alloc(begin));
  const [response] = (await once(call, "response")) as [IncomingMessage];
  call.end(Buffer.alloc(length - begin));
  expect([response.statusCode, await text(response)]).toEqual([413, "too large"]);
  await once(call, "finish");
});

test.each<[string, Connect | undefined]>([
  ["a destination", undefined],
  ["the network of nodes", () => new Promise(() => undefined)],
])("%s has 30 seconds to open a connection", async (_, connect) => {
  const clock = new FakeClock();
  const silent = createPlainServer((socket) => void socket.resume());
  const host = await listenOn(silent);
  const server = await startForwarding(new URL(`https://${host}/`), clock, connect);
  const call = httpsRequest(server, { ca: ca.cert, agent: false }).end();
  const responded = once(call, "response") as Promise<[IncomingMessage]>;
  await expect.poll(() => clock.timers).toBe(1);
  await clock.advance(30_000);
  const [response] = await responded;
  expect(await text(response)).toBe(`dial tcp ${host}: i/o timeout`);
});
