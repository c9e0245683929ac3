import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import type { ResolveOutside } from "./dns.ts";
import type { NodePlace } from "./node-files.ts";
import { type NodeNetwork, enterNetwork } from "./node-network.ts";
import { sandboxAddress, startSandbox } from "./sandbox.ts";
import { servedRelease } from "../contract/version.ts";

const kubernetesVersion = (): string => `v${servedRelease()}.0`;

/** How many nodes a cluster has, and where their programs come from. */
export interface NodesOptions {
  /** Default: 1. */
  readonly count?: number;
  /**
   * The folder of the programs `kubelet` and `kube-proxy`, for nodes in namespaces of this machine, which needs Linux and root. What
   * else nodes need (containerd, runc, CNI's plugins, iptables) may be there, too, or is this machine's. Default: the environment
   * variable `TSBUILDER_NODE_PROGRAMS`; without it, nodes are containers of Docker or podman.
   */
  readonly programs?: string | undefined;
  /** The image of nodes that are containers. Default: `TSBUILDER_NODE_IMAGE`, or kind's image for the cluster's version. */
  readonly image?: string | undefined;
}

/** Where the programs of nodes run. */
export interface Machine {
  /** The words before a command that runs there. */
  readonly enter: readonly string[];
  readonly nodes: readonly NodePlace[];
}

/** The machines and the network on which nodes are started. */
export interface Ground {
  /** Holds certificates, configuration and logs, under the same path in each machine. */
  readonly folder: string;
  readonly machines: readonly Machine[];
  readonly network: NodeNetwork;
  /** Finds addresses of names outside of the cluster that pods reach. */
  readonly resolveOutside: ResolveOutside;
  /** Ends all that runs there; resolves when nothing is left. */
  stop(): Promise<void>;
}

/** Thrown if nodes can't be started on a machine; the hint says what to do. */
export class NodesError extends Error {
  override readonly name = "NodesError";
  readonly code = "ENODES";
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

/** Prepares what nodes are started on. Throws a NodesError that says what to do if this machine can't run them. */
export async function openGround(options: number | NodesOptions): Promise<Ground> {
  const { count = 1, programs, image } = typeof options === "number" ? { count: options } : options;
  if (!Number.isInteger(count) || count < 1)
    throw new NodesError(`a cluster can't have ${count} real nodes`, "ask for one or more");
  const names = Array.from({ length: count }, (_, index) => `node-${index + 1}`);
  const folder =
    programs ?? (image === undefined ? process.env["TSBUILDER_NODE_PROGRAMS"] || undefined : undefined);
  if (folder !== undefined) return openSandbox(resolve(folder), names);
  const { startContainers } = await import("./container.ts");
  return startContainers(
    image ?? (process.env["TSBUILDER_NODE_IMAGE"] || `docker.io/kindest/node:${kubernetesVersion()}`),
    names,
  );
}

/** The programs that nodes in namespaces need, each with where it comes from. */
const needed: Readonly<Record<string, string>> = {
  kubelet: "Kubernetes",
  "kube-proxy": "Kubernetes",
  containerd: "containerd",
  ctr: "containerd",
  runc: "runc",
  iptables: "iptables",
  ip: "iproute2",
  bash: "bash",
  hostname: "hostname",
  mount: "mount",
  unshare: "util-linux",
  nsenter: "util-linux",
  setpriv: "util-linux",
};

/** The folders in which CNI's plugins are installed, besides that of the programs. */
const pluginFolders = ["/opt/cni/bin", "/usr/lib/cni", "/usr/libexec/cni"];

async function openSandbox(programs: string, names: readonly string[]): Promise<Ground> {
  if (process.platform !== "linux" || process.getuid?.() !== 0)
    throw new NodesError(
      "nodes of programs on this machine need Linux and root",
      "run as root, or omit the folder of programs: then nodes are containers of Docker or podman",
    );
  const path = [programs, process.env["PATH"], "/usr/sbin", "/sbin"].join(delimiter);
  const missing = Object.keys(needed).filter((name) => !isOnPath(path, name));
  const plugins = [programs, ...pluginFolders].find((folder) => existsSync(join(folder, "ptp")));
  if (missing.length > 0 || plugins === undefined) throw missingPrograms(programs, missing, plugins);
  const sandbox = await startSandbox(names).catch((error: Error) => {
    const hint =
      "use a machine whose root may make namespaces and mount (CAP_SYS_ADMIN), or nodes that are containers";
    throw new NodesError(error.message, hint);
  });
  const { folder, group } = sandbox;
  // A mount namespace begins in the root folder.
  const enter = [...sandbox.enter, "env", `PATH=${path}`];
  try {
    const network = await enterNetwork(enter, sandboxAddress);
    const nodes = names.map((name, index): NodePlace => {
      const data = join(folder, name);
      const images = join(data, "containerd");
      const place = { name, index, folder, data, images, plugins, group: `/${group}/${name}` };
      return { ...place, address: sandboxAddress, podRange: "10.245.0.0/24" };
    });
    const stop = async (): Promise<void> => {
      network.close();
      await sandbox.stop();
    };
    const resolveOutside: ResolveOutside = async (name) => sandbox.findHost(name);
    return { folder, machines: [{ enter, nodes }], network, resolveOutside, stop };
  } catch (error) {
    await sandbox.stop();
    throw error;
  }
}

function isOnPath(path: string, name: string): boolean {
  return path.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function missingPrograms(
  folder: string,
  missing: readonly string[],
  plugins: string | undefined,
): NodesError {
  const packages = missing.map((name) => needed[name]!);
  const others = [...packages, plugins === undefined ? "containernetworking-plugins" : []].flat();
  const installed = [...new Set(others)].filter((name) => name !== "Kubernetes");
  const url = `https://dl.k8s.io/release/${kubernetesVersion()}/bin/linux/${process.arch === "x64" ? "amd64" : process.arch}`;
  const hints = [
    ...(packages.includes("Kubernetes")
      ? [`download kubelet and kube-proxy from ${url} to "${folder}"`]
      : []),
    ...(installed.length > 0 ? [`install ${installed.join(", ")}, as in apt-get install`] : []),
  ];
  const names = [...missing, plugins === undefined ? "CNI's plugins" : []].flat();
  return new NodesError(`nodes need programs that are missing: ${names.join(", ")}`, hints.join("; "));
}
