import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import https from "node:https";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import { expect, onTestFinished, test } from "vitest";
import { Gate, listen } from "../../../e2e/support/runtime/connection-gate.ts";
import { FakeClock, settled } from "@tsbuilder/apimachinery/time";
import { answerJSON } from "../testing/stub-server.ts";
import { HttpTransport } from "./http-transport.ts";
import type { TransportOptions } from "./transport.ts";

interface SetUp {
  readonly gate: Gate;
  readonly clock: FakeClock;
  readonly transport: HttpTransport;
  /** Resolves when the next request has reached the server, with a function that answers it. */
  readonly asked: () => Promise<() => void>;
}

async function setUp(options: TransportOptions = {}, { answers = true } = {}): Promise<SetUp> {
  const ca = createCA({ commonName: "root" });
  const certificate = issueCertificate(ca, { ipAddresses: ["127.0.0.1"], usages: ["server"] });
  const server = https.createServer(certificate);
  if (answers) server.on("request", (_, response) => answerJSON(response, {}));
  const gate = new Gate(await listen(server));
  const clock = new FakeClock();
  const transport = new HttpTransport(
    { server: `https://127.0.0.1:${await gate.open()}`, ca: ca.cert },
    { ...options, clock },
  );
  onTestFinished(() => transport.close());
  const asked = async () => {
    const [, response] = (await once(server, "request")) as [IncomingMessage, ServerResponse];
    return () => answerJSON(response, {});
  };
  return { gate, clock, transport, asked };
}

const request = { path: "/version" };

test.for([{}, { maxConnections: 1 }])(
  "a request that meets a connect that hangs is sent over one that is dialled beside it, with %j",
  async (options) => {
    const { gate, clock, transport } = await setUp(options);
    gate.hangs = true;
    const answer = transport.send(request);
    await gate.came(1);
    await clock.advance(1000);
    await gate.came(2);
    gate.hangs = false;
    await clock.advance(1000);
    expect((await answer).status).toBe(200);
    for (const socket of gate.sockets.slice(0, 2)) if (!socket.destroyed) await once(socket, "close");
    expect(gate.sockets).toHaveLength(3);
    expect(clock.timers).toBe(0);
  },
);

test("an attempt to connect ends with the request that it was made for, and holds up no other", async () => {
  const { gate, clock, transport } = await setUp({ maxConnections: 1 });
  gate.hangs = true;
  const abort = new AbortController();
  const first = transport.send({ ...request, signal: abort.signal });
  await gate.came(1);
  abort.abort(new Error("enough"));
  await expect(first).rejects.toThrow("enough");
  await once(gate.sockets[0]!, "close");
  gate.hangs = false;
  expect((await transport.send(request)).status).toBe(200);
  expect(clock.timers).toBe(0);
});

test("a request that gives up leaves the attempts that others wait for", async () => {
  const { gate, clock, transport } = await setUp();
  gate.hangs = true;
  const abort = new AbortController();
  const [first, second] = [transport.send({ ...request, signal: abort.signal }), transport.send(request)];
  await gate.came(2);
  abort.abort(new Error("enough"));
  await expect(first).rejects.toThrow("enough");
  await once(gate.sockets[0]!, "close");
  await settled();
  expect(gate.sockets.map(({ destroyed }) => destroyed)).toEqual([true, false]);
  gate.hangs = false;
  // The attempt that is left is slow by now, and another one is made beside it.
  await clock.advance(1000);
  expect((await second).status).toBe(200);
});

test("an attempt that fails rejects nobody who came after it was made", async () => {
  const { gate, asked, transport } = await setUp({}, { answers: false });
  const first = transport.send(request);
  const answerFirst = await asked();
  gate.hangs = true;
  const second = transport.send(request);
  await gate.came(2);
  answerFirst();
  await first;
  const answerSecond = await asked();
  // A write is not repeated after a broken connection.
  const third = transport.send({ ...request, method: "POST", body: {} });
  gate.hangs = false;
  gate.sockets[1]!.resetAndDestroy();
  const answerThird = await asked();
  answerSecond();
  answerThird();
  expect((await Promise.all([second, third])).map(({ status }) => status)).toEqual([200, 200]);
});

test("connecting is given up after a time of its own, ten seconds if nobody says another", async () => {
  const { gate, clock, transport } = await setUp();
  gate.hangs = true;
  const answer = transport.send(request).catch((error: unknown) => error);
  await gate.came(1);
  await clock.advance(10_000);
  expect(await answer).toMatchObject({
    isTimeout: true,
    message: expect.stringContaining("no connection within 10 s") as string,
  });
});

test("requests in great number wait beside attempts that hang, and few more are made at a time", async () => {
  const { gate, clock, transport } = await setUp();
  gate.hangs = true;
  const answers = Array.from({ length: 20 }, () => transport.send(request));
  await gate.came(20);
  await clock.advance(1000);
  await gate.came(24);
  gate.hangs = false;
  await clock.advance(1000);
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(gate.sockets.length).toBeLessThan(60);
});
