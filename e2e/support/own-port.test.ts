import { createSocket } from "node:dgram";
import { once } from "node:events";
import { freePort } from "@tsbuilder/apimachinery/port";
import { expect, onTestFinished, test } from "vitest";
import { ownPort } from "./own-port.ts";

test("a port is given once, though no server listens on it yet", async () => {
  const [first, second] = [await freePort(), await freePort()];
  const found = [first, first, second];
  const find = async () => found.shift()!;
  expect([await ownPort(find), await ownPort(find)]).toEqual([first, second]);
});

test("a port that another process was given is not given again", async () => {
  const theirs = createSocket("udp4").bind({ port: 0, address: "127.0.0.1" });
  onTestFinished(() => void theirs.close());
  await once(theirs, "listening");
  const [taken, other] = [theirs.address().port, await freePort()];
  const found = [taken, other];
  expect(await ownPort(async () => found.shift()!)).toBe(other);
});
