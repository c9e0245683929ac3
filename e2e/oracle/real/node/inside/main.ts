import { join } from "node:path";
import { createClient, loadConfig, Manager } from "@tsbuilder/runtime";
import { Service } from "@tsbuilder/runtime/k8s/core/v1";
import { EndpointSlice } from "@tsbuilder/runtime/k8s/discovery/v1";
import { StorageClass } from "@tsbuilder/runtime/k8s/storage/v1";
import { clusterDNS } from "../../../../../src/cluster/nodes/node-files.ts";
import { eventually } from "../../../../support/eventually.ts";
import { apiPort, nodeAddress } from "../addresses.ts";
import { packageRegistry, packageRegistrySocket } from "../package-registry.ts";
import { startRelay } from "../relay.ts";
import { dnsServer } from "./dns-server.ts";
import { defaultClassAnnotation, setupProvisioner, storageClass } from "./provisioner.ts";

// Adds what a distribution adds to Kubernetes: DNS and storage; and the way in from outside. Runs inside of the sandbox.

const [folder = "", kubeconfig = ""] = process.argv.slice(2);
await startRelay({ path: join(folder, "api.sock") }, { host: "127.0.0.1", port: apiPort });
const { port } = packageRegistry;
await startRelay({ host: nodeAddress, port }, { path: packageRegistrySocket(folder) });
const config = await loadConfig({ kubeconfig, env: {} });
const client = createClient(config);
await eventually(() => client.request({ path: "/readyz" }), undefined, 300_000);
const labels = { "kubernetes.io/service-name": "kube-dns" };
const ports = [
  { name: "dns", port: 53, protocol: "UDP" },
  { name: "dns-tcp", port: 53, protocol: "TCP" },
] as const;
const metadata = { namespace: "kube-system", name: "kube-dns" };
await client.apply(Service, {
  metadata: { ...metadata, labels: { "k8s-app": "kube-dns" } },
  spec: { clusterIP: clusterDNS, ports: [...ports] },
});
await client.apply(EndpointSlice, {
  metadata: { ...metadata, labels },
  addressType: "IPv4",
  endpoints: [{ addresses: [nodeAddress], conditions: { ready: true } }],
  ports: [...ports],
});
// The embedded cluster's own default StorageClass stores nothing.
const isDefault = { [defaultClassAnnotation]: "false" };
for (const { metadata: other } of await client.list(StorageClass))
  await client.patch(StorageClass, other, { merge: { metadata: { annotations: isDefault } } });
await client.apply(StorageClass, storageClass);
const manager = new Manager({ name: "real-node", config, ownsProcess: true });
manager.cache.informer(Service);
manager.cache.informer(EndpointSlice);
setupProvisioner(manager, join(folder, "volumes"));
manager.add(dnsServer(manager.client));
await manager.start();
