import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { freePort } from "./free-port.ts";

test("freePort() returns ports that a server can listen on, again and again", async () => {
  const port = await freePort();
  for (let round = 0; round < 3; round++) {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, "127.0.0.1", resolve);
    });
    expect(server.address()).toMatchObject({ port });
    await new Promise((resolve) => server.close(resolve));
  }
});

test.runIf(process.platform === "linux")("freePort() avoids the ports of outgoing connections", async () => {
  const range = readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8");
  const first = Number(range.split("\t")[0]);
  const ports = await Promise.all(Array.from({ length: 50 }, freePort));
  expect(Math.max(...ports)).toBeLessThan(first);
});
