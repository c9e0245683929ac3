import { once } from "node:events";
import { connect } from "node:net";
import { connect as connectTLS } from "node:tls";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import { expect, test } from "vitest";
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

test("closing ends connections without requests, and those that have not finished their handshake", async () => {
  const ca = createCA({ commonName: "listen" });
  const serving = issueCertificate(ca, { ipAddresses: ["127.0.0.1"], usages: ["server"] });
  const never = () => new Promise<never>(() => undefined);
  const listener = await listen(never, {
    host: "127.0.0.1",
    port: 0,
    serving,
    clientCA: [ca.cert],
    slices: new TimeSlices(),
    onError: () => expect.unreachable(),
  });
  const port = Number(new URL(listener.url).port);
  const silent = connect(port, "127.0.0.1");
  const idle = connectTLS({ port, host: "127.0.0.1", ca: ca.cert });
  for (const socket of [silent, idle]) socket.on("error", () => undefined);
  await Promise.all([once(silent, "connect"), once(idle, "secureConnect")]);
  const ended = Promise.all([silent, idle].map((socket) => once(socket, "close")));
  await listener.close();
  await ended;
  expect([silent.destroyed, idle.destroyed]).toEqual([true, true]);
});
