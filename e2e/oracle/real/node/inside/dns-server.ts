import { createSocket } from "node:dgram";
import { createServer } from "node:net";
import type { Reader, Runnable } from "@tsbuilder/runtime";
import { Service } from "@tsbuilder/runtime/k8s/core/v1";
import { EndpointSlice } from "@tsbuilder/runtime/k8s/discovery/v1";
import { serveNames } from "../../../../../src/cluster/nodes/dns.ts";
import { nodeAddress } from "../addresses.ts";
import { packageRegistry } from "../package-registry.ts";

/** The cluster's DNS, for the names of the cluster only. */
export function dnsServer(client: Reader): Runnable {
  return {
    name: "dns",
    needLeaderElection: false,
    start: ({ signal }) =>
      new Promise((resolve, reject) => {
        const [dns, dnsByTcp] = [createSocket("udp4"), createServer()];
        for (const each of [dns, dnsByTcp]) each.once("error", reject);
        const find = async () => {
          const [services, slices] = await Promise.all([client.list(Service), client.list(EndpointSlice)]);
          return { services, slices };
        };
        serveNames({ dns, dnsByTcp }, find, resolveOutside);
        dns.bind(53, nodeAddress);
        dnsByTcp.listen(53, nodeAddress);
        signal.addEventListener("abort", () => {
          dnsByTcp.close();
          dns.close(() => resolve());
        });
      }),
  };
}

/** The only name outside: `inside/main.ts` passes its connections on. */
async function resolveOutside(name: string): Promise<string[]> {
  return name === packageRegistry.host ? [nodeAddress] : [];
}
