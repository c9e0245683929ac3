import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { clusterDomain, dnsAddress, podRange } from "./addresses.ts";

/** The image of pods' own containers. */
export const pauseImage = "localhost/pause:1";

/** Writes the configuration of containerd, of the pods' network and of the kubelet; returns the files. */
export function writeNodeFiles(folder: string, group: string): { containerd: string; kubelet: string } {
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  mkdirSync(join(folder, "cni"));
  write("cni/10-bridge.conflist", JSON.stringify(network(join(folder, "cni-addresses"))));
  return {
    containerd: write("containerd.toml", containerdText(folder)),
    kubelet: write("kubelet.json", JSON.stringify(kubeletConfiguration(folder, group))),
  };
}

export function containerdSocket(folder: string): string {
  return join(folder, "containerd.sock");
}

/** Registries that `certs.d` describes are reached as it says, with their own certificate authorities. */
function containerdText(folder: string): string {
  const text = (name: string): string => JSON.stringify(join(folder, name));
  return `version = 2
root = ${text("containerd")}
state = ${text("containerd-state")}
disabled_plugins = ["io.containerd.internal.v1.opt", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.devmapper"]
[grpc]
address = ${text("containerd.sock")}
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "${pauseImage}"
# Lowering the score of a process takes a capability that machines of CI lack.
restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "/usr/lib/cni"
conf_dir = ${text("cni")}
[plugins."io.containerd.grpc.v1.cri".registry]
config_path = ${text("certs.d")}
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

function kubeletConfiguration(folder: string, group: string): object {
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
    cgroupRoot: `/${group}`,
    failCgroupV1: false,
    failSwapOn: false,
    clusterDNS: [dnsAddress],
    clusterDomain,
    containerRuntimeEndpoint: `unix://${containerdSocket(folder)}`,
    resolvConf: join(folder, "resolv.conf"),
    podLogsDir: join(folder, "pod-logs"),
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
