import { readFileSync } from "node:fs";
import { join } from "node:path";
import { controllerNames, startCluster } from "@tsbuilder/cluster";
import { apiPort, nodeAddress } from "../../oracle/real/node/addresses.ts";

// The embedded control plane of `nodes-hour.ts`, in the network of its nodes, as one that keeps its objects in a folder.

const folder = process.argv[2]!;
const certificate = (name: string): string => readFileSync(join(folder, "certs", name), "utf8");
await startCluster({
  dataDir: join(folder, "state"),
  host: nodeAddress,
  port: apiPort,
  advertiseAddress: nodeAddress,
  certificates: { ca: { cert: certificate("ca.crt"), key: certificate("ca.key") } },
  controllers: controllerNames,
});
console.log("serving");
