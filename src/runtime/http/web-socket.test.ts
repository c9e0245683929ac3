import { getEventListeners, once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { expect, onTestFinished, test } from "vitest";
import { startContainerServer } from "../../../e2e/support/runtime/container-server.ts";
import { connectToStub } from "../../../e2e/support/runtime/stub-transport.ts";
import { eventually } from "../testing/eventually.ts";
import { moveClockUntil } from "../testing/move-clock.ts";
import { HttpTransport } from "./http-transport.ts";

const path = "/api/v1/namespaces/default/pods/db-0/exec";
const webSocket = ["v5.channel.k8s.io"];

test("a WebSocket that nobody answers is given up after the timeout", async () => {
  const clock = new FakeClock();
  const { server, transport } = await connectToStub(() => {}, { clock });
  const answer = transport.send({ path, webSocket }).catch((error: unknown) => error);
  await eventually(() => expect(server.requests).toHaveLength(1));
  await clock.advance(65_000);
  expect(await answer).toMatchObject({ reason: "Timeout", message: `GET ${path}: no data for 65 s` });
  await eventually(() => expect(server.connections.open).toBe(0));
});

test("a WebSocket whose connection does not open is given up after the time for connecting", async () => {
  const silent = net.createServer().listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  const clock = new FakeClock();
  const transport = new HttpTransport({ server: `https://127.0.0.1:${port}` }, { clock });
  onTestFinished(() => void silent.close());
  const answer = transport.send({ path, webSocket }).catch((error: unknown) => error);
  await once(silent, "connection");
  await clock.advance(10_000);
  expect(await answer).toMatchObject({
    reason: "Timeout",
    message: `GET ${path}: no connection within 10 s`,
  });
});

test("a WebSocket is not asked for again when the connection breaks: its command may have begun", async () => {
  const { server, transport } = await connectToStub(({ socket }) => socket.resetAndDestroy());
  await expect(transport.send({ path, webSocket })).rejects.toMatchObject({ isUnreachable: true });
  expect(server.requests).toHaveLength(1);
});

test("a server that answers without a WebSocket is told of", async () => {
  const { transport } = await connectToStub((_, response) => response.end("hello"));
  await expect(transport.send({ path, webSocket })).rejects.toThrow(`GET ${path}: hello`);
});

test("a silent WebSocket is kept open by pings, and its signal is forgotten with it", async () => {
  const clock = new FakeClock();
  const server = await startContainerServer({ run: () => new Promise(() => {}) });
  const transport = new HttpTransport(server.config, { clock });
  onTestFinished(() => transport.close());
  const { signal } = new AbortController();
  const { webSocket: open } = await transport.send({ path, webSocket, signal });
  expect(open?.protocol).toBe("v5.channel.k8s.io");
  await moveClockUntil(clock, () => expect(server.pings).toBeGreaterThanOrEqual(2));
  open!.close();
  for await (const _ of open!) expect.unreachable();
  await eventually(() => expect(getEventListeners(signal, "abort")).toEqual([]));
  expect(clock.timers).toBe(0);
});
