import { readFileSync } from "node:fs";
import { join } from "node:path";
import { controllerNames, startCluster } from "@tsbuilder/cluster";
import { apiPort, nodeAddress } from "../addresses.ts";

// The embedded cluster with its own controllers and scheduler, in the place of etcd, kube-apiserver,
// kube-controller-manager and kube-scheduler. Its only argument is the sandbox's folder.

const [folder = ""] = process.argv.slice(2);
const read = (name: string): string => readFileSync(join(folder, "certs", name), "utf8");

await startCluster({
  host: "0.0.0.0",
  port: apiPort,
  advertiseAddress: nodeAddress,
  certificates: { ca: { cert: read("ca.crt"), key: read("ca.key") } },
  controllers: controllerNames,
});
