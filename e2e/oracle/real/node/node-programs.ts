import { spawnSync } from "node:child_process";
import { existsSync, rmSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { installLaunchers } from "../../../../src/cluster/launchers/install-launchers.ts";
import { repository } from "../../../support/source-imports.ts";
import { buildKubernetes, cacheFolder } from "../build-kubernetes.ts";
import { findBinaries } from "../control-plane-binaries.ts";
import { installPackages } from "./debian-packages.ts";

/** The folders of Kubernetes' programs; those of Debian are on the PATH. */
export interface NodePrograms {
  /** `embedded` is the embedded cluster with its own controllers, in one process. */
  readonly controlPlane: string;
  readonly node: string;
}

const built = ["kubelet", "kube-scheduler", "kube-proxy"];

/** Programs of Debian, by the package that has them. */
const packages = {
  containerd: "containerd",
  runc: "runc",
  iptables: "iptables",
  ip: "iproute2",
  tini: "tini",
  busybox: "busybox-static",
  "/usr/lib/cni/bridge": "containernetworking-plugins",
};

/**
 * Which control plane a node joins: Kubernetes' own; the embedded API server, started by its launchers, with Kubernetes'
 * controllers and scheduler; or the embedded cluster alone.
 */
export type ControlPlane = "real" | "launchers" | "embedded";

/** The control plane of journeys that name none: `CONTROL_PLANE=embedded npm run lab -- node`. */
const chosen = (process.env["CONTROL_PLANE"] as ControlPlane | undefined) ?? "real";

/** Builds and installs what a node needs, unless it is there; or says why this machine can't run one. */
export function prepareNode(wanted = chosen): NodePrograms | { readonly missing: string } {
  const trouble = machineTrouble() ?? installPackages(packages);
  if (trouble !== undefined) return { missing: trouble };
  const binaries = findBinaries();
  if ("missing" in binaries) return binaries;
  const node = cacheFolder("node");
  const targets = built.filter((name) => !existsSync(join(node, name)));
  if (targets.length > 0)
    buildKubernetes(
      node,
      targets.map((output) => ({ output, path: `k8s.io/kubernetes/cmd/${output}` })),
    );
  if (wanted === "embedded") return { controlPlane: wanted, node };
  return { controlPlane: wanted === "real" ? binaries.folder : writeLaunchers(binaries.folder), node };
}

/** Puts the embedded server's launchers beside the real controllers. */
function writeLaunchers(real: string): string {
  const folder = cacheFolder(`launchers-${basename(repository)}`);
  installLaunchers(folder);
  const manager = "kube-controller-manager";
  rmSync(join(folder, manager), { force: true });
  symlinkSync(join(real, manager), join(folder, manager));
  return folder;
}

/** Namespaces, bridges and mounts are for root, and not in every container. */
function machineTrouble(): string | undefined {
  if (process.platform !== "linux") return "a node needs Linux";
  if (process.getuid!() !== 0) return "a node needs root";
  const namespaces = ["--mount", "--net", "--pid", "--uts", "--ipc", "--fork", "--mount-proc"];
  const tried = spawnSync("unshare", [...namespaces, "sh", "-c", "mount -t tmpfs t /run"], {
    encoding: "utf8",
  });
  return tried.status === 0
    ? undefined
    : `a node needs namespaces of its own: ${tried.error?.message ?? tried.stderr}`;
}
