import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The address of the Service by which pods reach the cluster's DNS. */
export const clusterDNS = "10.96.0.10";
export const clusterDomain = "cluster.local";

/** The image of pods' own containers. */
export const pauseImage = "localhost/pause:1";

/** The addresses of all pods with containers. Pretended ones have others. */
export const podRange = "10.245.0.0/16";

/** A node as its configuration sees it. */
export interface NodePlace {
  readonly name: string;
  /** Nodes that share a network have the same address and different ports. */
  readonly address: string;
  /** 0 for the first node. */
  readonly index: number;
  /** The range of the addresses of its pods, unless the nodes share a network. */
  readonly podRange: string;
  /** The folder with certificates and configuration, and below it one for each node. */
  readonly folder: string;
  /** The folder for what the node's programs write. */
  readonly data: string;
  /** The folder of containerd's images. */
  readonly images: string;
  /** The control group of its containers. */
  readonly group: string;
  /** The folder with CNI's plugins. */
  readonly plugins: string;
}

/** Writes the configuration of a node's network, containerd and kubelet; returns the files of the last two. Nodes of one folder share a network. */
export function writeNodeFiles(place: NodePlace): { readonly containerd: string; readonly kubelet: string } {
  const { folder } = place;
  const own = join(folder, place.name);
  const networks = join(own, "cni");
  mkdirSync(networks, { recursive: true });
  writeFileSync(join(networks, "10-pods.conflist"), JSON.stringify(podNetwork(place.podRange)));
  const containerd = join(own, "containerd.toml");
  writeFileSync(containerd, containerdText(place));
  const kubelet = join(own, "kubelet.json");
  writeFileSync(kubelet, JSON.stringify(kubeletConfiguration(place)));
  return { containerd, kubelet };
}

/** The socket of a node's containerd, below the folder for what the node's programs write. */
export function containerdSocket(data: string): string {
  return join(data, "containerd.sock");
}

/** Registries that `certs.d` describes are reached as it says, with their own certificate authorities. */
function containerdText({ name, folder, data, images, plugins }: NodePlace): string {
  const text = (...names: string[]): string => JSON.stringify(join(...names));
  return `version = 2
root = ${text(images)}
state = ${text(data, "containerd-state")}
disabled_plugins = ["io.containerd.internal.v1.opt", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.devmapper"]
[grpc]
address = ${text(containerdSocket(data))}
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "${pauseImage}"
# Lowering the score of a process takes a capability that machines of CI lack.
restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = ${text(plugins)}
conf_dir = ${text(folder, name, "cni")}
[plugins."io.containerd.grpc.v1.cri".registry]
config_path = ${text(folder, "certs.d")}
`;
}

function podNetwork(subnet: string): object {
  const ipam = {
    type: "host-local",
    ranges: [[{ subnet }]],
    routes: [{ dst: "0.0.0.0/0" }],
  };
  return {
    cniVersion: "0.4.0",
    name: "pods",
    plugins: [
      { type: "ptp", ipMasq: true, ipam },
      { type: "portmap", capabilities: { portMappings: true } },
    ],
  };
}

/** The port of a node's kubelet. */
function kubeletPort(index: number): number {
  return 10_250 + index * 100;
}

function kubeletConfiguration({ folder, data, group, index }: NodePlace): object {
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
    port: kubeletPort(index),
    healthzPort: kubeletPort(index) - 2,
    // A kubelet ends what it finds below its root and does not know.
    cgroupRoot: group,
    failCgroupV1: false,
    failSwapOn: false,
    clusterDNS: [clusterDNS],
    clusterDomain,
    containerRuntimeEndpoint: `unix://${containerdSocket(data)}`,
    resolvConf: "/etc/resolv.conf",
    podLogsDir: join(data, "pod-logs"),
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
