import { createSocket } from "node:dgram";
import type { Reader, Runnable } from "@tsbuilder/runtime";
import { Service } from "@tsbuilder/runtime/k8s/core/v1";
import { EndpointSlice } from "@tsbuilder/runtime/k8s/discovery/v1";
import { answerQuery } from "../../../../../src/cluster/nodes/dns.ts";
import { nodeAddress } from "../addresses.ts";
import { packageRegistry } from "../package-registry.ts";

/** The cluster's DNS, for the names of the cluster only. */
export function dnsServer(client: Reader): Runnable {
  return {
    name: "dns",
    needLeaderElection: false,
    start: ({ signal, log }) =>
      new Promise((resolve, reject) => {
        const socket = createSocket("udp4");
        socket.once("error", reject);
        socket.on("message", (message, sender) => {
          answer(client, message)
            .then((reply) => reply && socket.send(reply, sender.port, sender.address))
            .catch((error: unknown) => log.error("Cannot answer", { error }));
        });
        socket.bind(53, nodeAddress);
        signal.addEventListener("abort", () => socket.close(() => resolve()));
      }),
  };
}

async function answer(client: Reader, message: Buffer): Promise<Buffer | undefined> {
  const [services, slices] = await Promise.all([client.list(Service), client.list(EndpointSlice)]);
  // The only name outside: `inside/main.ts` passes its connections on.
  const resolveOutside = async (name: string) => (name === packageRegistry.host ? [nodeAddress] : []);
  return answerQuery(message, { services, slices }, resolveOutside);
}
