import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { Server } from "node:https";
import { type Socket, connect } from "node:net";
import { connect as connectTLS } from "node:tls";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import { expect, test } from "vitest";
import { type Handler, textReply } from "../http/request-context.ts";
import { TimeSlices } from "../http/time-slices.ts";
import { listen, reachableHost } from "./serve.ts";

test.each([
  ["::", "[::1]"],
  ["fd00::1", "[fd00::1]"],
  ["0.0.0.0", "127.0.0.1"],
  ["10.0.0.1", "10.0.0.1"],
])("a server that listens on %s is reached at %s", (host, shown) => {
  expect(reachableHost(host)).toBe(shown);
});

const ca = createCA({ commonName: "listen" });

/** Listens on loopback; returns the listener and the options of connections to it. */
async function open(handler: Handler) {
  const serving = issueCertificate(ca, { ipAddresses: ["127.0.0.1"], usages: ["server"] });
  const listener = await listen(handler, {
    host: "127.0.0.1",
    port: 0,
    serving,
    clientCA: [ca.cert],
    slices: new TimeSlices(),
    onError: () => expect.unreachable(),
  });
  return { listener, place: { port: listener.port, host: "127.0.0.1", ca: ca.cert } };
}

test("closing ends connections without requests, and those that have not finished their handshake", async () => {
  const { listener, place } = await open(() => new Promise<never>(() => undefined));
  const silent = connect(place.port, place.host);
  const idle = connectTLS(place);
  for (const socket of [silent, idle]) socket.on("error", () => undefined);
  await Promise.all([once(silent, "connect"), once(idle, "secureConnect")]);
  const ended = Promise.all([silent, idle].map((socket) => once(socket, "close")));
  await listener.close();
  await ended;
  expect([silent.destroyed, idle.destroyed]).toEqual([true, true]);
});

test("a spare connection is closed without a word, which clients would take for their next response", async () => {
  const { listener, place } = await open(() => textReply("served"));
  const started = new Promise<{ server: Server; socket: Socket }>((resolve) => {
    const name = "http.server.request.start";
    const notice = (message: unknown): void => {
      unsubscribe(name, notice);
      resolve(message as { server: Server; socket: Socket });
    };
    subscribe(name, notice);
  });
  const client = connectTLS(place);
  let received = "";
  client.on("data", (data: Buffer) => (received += data.toString()));
  client.write("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
  await expect.poll(() => received).toContain("served");
  received = "";
  const closed = once(client, "close");
  const { server, socket } = await started;
  // Node says so after half a minute.
  server.emit("clientError", Object.assign(new Error("late"), { code: "ERR_HTTP_REQUEST_TIMEOUT" }), socket);
  await closed;
  expect(received).toBe("");
  await listener.close();
});
