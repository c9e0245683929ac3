import { expect, test } from "vitest";
import { enterNetwork } from "./node-network.ts";

// Needs a network namespace of its own, and so root; that connections are made is tested in e2e/oracle/real/node.
const isRoot = process.platform === "linux" && process.getuid!() === 0;

test.skipIf(!isRoot)("no connection is made into a network that has ended", async () => {
  const enter = ["unshare", "--net", "bash", "-c", 'ip link set lo up && exec "$@"', "--"];
  const network = await enterNetwork(enter, "127.0.0.1");
  network.close();
  for (let times = 0; times < 2; times++)
    await expect(network.connect("127.0.0.1", 80)).rejects.toThrow("closed");
});
