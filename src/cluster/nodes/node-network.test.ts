import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { enterNetwork } from "./node-network.ts";

// e2e/oracle/real/node tests that connections are made.
const canIsolate = spawnSync("unshare", ["--net", "ip", "link"]).status === 0;

test("no connection is made into a network that has ended", async ({ skip }) => {
  skip(!canIsolate, "this needs root, unshare and ip");
  const enter = ["unshare", "--net", "bash", "-c", 'ip link set lo up && exec "$@"', "--"];
  const network = await enterNetwork(enter, "127.0.0.1");
  network.close();
  for (let times = 0; times < 2; times++)
    await expect(network.connect("127.0.0.1", 80)).rejects.toThrow("closed");
});
