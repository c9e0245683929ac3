import { once } from "node:events";
import { readFile } from "node:fs/promises";
import net, { type AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { settled } from "./settled.ts";

test("settled() waits for what two sockets tell each other", async () => {
  const server = net.createServer((socket) => socket.pipe(socket)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = net.connect((server.address() as AddressInfo).port, "127.0.0.1");
  let rounds = 0;
  socket.on("data", (data) => {
    rounds++;
    if (rounds < 100) socket.write(data);
  });
  socket.on("connect", () => socket.write("x"));
  await settled();
  expect(rounds).toBe(100);
  socket.destroy();
  server.close();
});

test("settled() waits for files, and for callbacks of the next turn", async () => {
  let done = 0;
  const chain = (left: number): void => void (left > 0 ? setImmediate(() => chain(left - 1)) : done++);
  void (async () => {
    for (let round = 0; round < 20; round++) await readFile(new URL(import.meta.url));
    done++;
    chain(50);
  })();
  await settled();
  expect(done).toBe(2);
});

test("settled() waits for what it is told of, and for no timer", async () => {
  const timer = setTimeout(() => expect.unreachable(), 60_000);
  let turns = 0;
  await settled(() => ++turns < 30);
  clearTimeout(timer);
  expect(turns).toBeGreaterThanOrEqual(30);
});
