import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { clusterDomain, dnsAddress, type NodeName, nodeNames, podRange } from "./addresses.ts";

/** The image of pods' own containers. */
export const pauseImage = "localhost/pause:1";

/** Writes the configuration of the pods' network, which all nodes share. */
export function writeNetworkFiles(folder: string): void {
  mkdirSync(join(folder, "cni"));
  const file = join(folder, "cni/10-bridge.conflist");
  writeFileSync(file, JSON.stringify(network(join(folder, "cni-addresses"))));
}

/** Writes the configuration of a node's containerd and kubelet; returns the files. */
export function writeNodeFiles(
  { folder, group }: { readonly folder: string; readonly group: string },
  name: NodeName,
): { containerd: string; kubelet: string } {
  const own = join(folder, name);
  mkdirSync(own);
  const containerd = join(own, "containerd.toml");
  writeFileSync(containerd, containerdText(folder, own));
  const kubelet = join(own, "kubelet.json");
  writeFileSync(kubelet, JSON.stringify(kubeletConfiguration(folder, `/${group}`, name)));
  return { containerd, kubelet };
}

export function containerdSocket(folder: string, name: NodeName): string {
  return join(folder, name, "containerd.sock");
}

/** Registries that `certs.d` describes are reached as it says, with their own certificate authorities. */
function containerdText(folder: string, own: string): string {
  const text = (...names: string[]): string => JSON.stringify(join(...names));
  return `version = 2
root = ${text(own, "containerd")}
state = ${text(own, "containerd-state")}
disabled_plugins = ["io.containerd.internal.v1.opt", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.devmapper"]
[grpc]
address = ${text(own, "containerd.sock")}
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "${pauseImage}"
# Lowering the score of a process takes a capability that machines of CI lack.
restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "/usr/lib/cni"
conf_dir = ${text(folder, "cni")}
[plugins."io.containerd.grpc.v1.cri".registry]
config_path = ${text(folder, "certs.d")}
`;
}

function network(addresses: string): object {
  const ipam = {
    type: "host-local",
    dataDir: addresses,
    ranges: [[{ subnet: podRange }]],
    routes: [{ dst: "0.0.0.0/0" }],
  };
  return {
    cniVersion: "0.4.0",
    name: "pods",
    plugins: [
      { type: "bridge", bridge: "pods0", isGateway: true, ipMasq: true, hairpinMode: true, ipam },
      { type: "portmap", capabilities: { portMappings: true } },
    ],
  };
}

function kubeletConfiguration(folder: string, group: string, name: NodeName): object {
  const index = nodeNames.indexOf(name);
  return {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: join(folder, "certs/ca.crt") },
    },
    authorization: { mode: "Webhook" },
    tlsCertFile: join(folder, "certs/kubelet.crt"),
    tlsPrivateKeyFile: join(folder, "certs/kubelet.key"),
    cgroupDriver: "cgroupfs",
    port: 10250 + index * 100,
    healthzPort: 10248 + index * 100,
    // A kubelet ends what it finds below its root and does not know.
    cgroupRoot: index === 0 ? group : `${group}/${name}`,
    failCgroupV1: false,
    failSwapOn: false,
    clusterDNS: [dnsAddress],
    clusterDomain,
    containerRuntimeEndpoint: `unix://${containerdSocket(folder, name)}`,
    resolvConf: join(folder, "resolv.conf"),
    podLogsDir: join(folder, name, "pod-logs"),
    // The disk is the machine's, and so is how full it is.
    evictionHard: { "memory.available": "0%", "nodefs.available": "0%", "imagefs.available": "0%" },
    imageGCHighThresholdPercent: 100,
    enforceNodeAllocatable: [],
    // Half a minute of delay per status would be most of a test.
    nodeStatusUpdateFrequency: "2s",
    registryPullQPS: 0,
    serializeImagePulls: false,
  };
}
