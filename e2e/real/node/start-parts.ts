import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { eventually } from "../../support/eventually.ts";
import { repository } from "../../support/source-imports.ts";
import { nodeAddress, nodeName, podRange } from "./addresses.ts";
import { controlPlaneFlags } from "./control-plane-flags.ts";
import type { WriteKubeconfig } from "./credentials.ts";
import { writeImageArchive } from "./image-archive.ts";
import { containerdSocket, pauseImage, writeNodeFiles } from "./node-files.ts";
import type { NodePrograms } from "./node-programs.ts";
import type { Program, Sandbox } from "./sandbox.ts";

/** Starts etcd, the API server, and what makes it reachable from outside. */
export function startApi({ folder, start }: Sandbox, { controlPlane }: NodePrograms): Program[] {
  const flags = controlPlaneFlags(folder);
  const source = [
    "--conditions=@tsbuilder/source",
    "--import",
    join(repository, "node_modules/tsx/dist/loader.mjs"),
  ];
  const inside = [join(import.meta.dirname, "inside/main.ts"), folder, join(folder, "admin.kubeconfig")];
  return [
    start("etcd", [join(controlPlane, "etcd"), ...flags.etcd]),
    start("kube-apiserver", [join(controlPlane, "kube-apiserver"), ...flags.apiserver]),
    start("inside", [process.execPath, ...source, ...inside]),
  ];
}

/** Starts the controllers and all that makes a node. */
export async function startNodeParts(
  sandbox: Sandbox,
  { controlPlane, node }: NodePrograms,
  writeKubeconfig: WriteKubeconfig,
): Promise<Program[]> {
  const { folder, group, start } = sandbox;
  const flags = controlPlaneFlags(folder);
  const files = writeNodeFiles(folder, group);
  const containerd = start("containerd", ["containerd", "--config", files.containerd]);
  const manager = flags.controllerManager(writeKubeconfig("system:kube-controller-manager"));
  const scheduler = flags.scheduler(writeKubeconfig("system:kube-scheduler"));
  const kubelet = [
    `--kubeconfig=${writeKubeconfig(`system:node:${nodeName}`)}`,
    `--config=${files.kubelet}`,
    `--root-dir=${join(folder, "kubelet")}`,
    `--hostname-override=${nodeName}`,
    `--node-ip=${nodeAddress}`,
  ];
  const proxy = [
    `--kubeconfig=${writeKubeconfig("system:kube-proxy")}`,
    `--hostname-override=${nodeName}`,
    `--cluster-cidr=${podRange}`,
    "--proxy-mode=iptables",
    "--conntrack-max-per-core=0",
    "--oom-score-adj=0",
  ];
  const early = [
    containerd,
    start("kube-controller-manager", [join(controlPlane, "kube-controller-manager"), ...manager]),
    start("kube-scheduler", [join(node, "kube-scheduler"), ...scheduler]),
    start("kube-proxy", [join(node, "kube-proxy"), ...proxy]),
  ];
  await eventually(() => importPauseImage(sandbox), containerd.watched, 60_000);
  return [...early, start("kubelet", [join(node, "kubelet"), ...kubelet])];
}

/** A pod's first container holds its namespaces and does nothing: busybox can. */
async function importPauseImage(sandbox: Sandbox): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "pause-"));
  const archive = join(sandbox.folder, "pause.tar");
  try {
    mkdirSync(join(root, "bin"));
    copyFileSync("/bin/busybox", join(root, "bin/busybox"));
    symlinkSync("busybox", join(root, "bin/sleep"));
    writeImageArchive(archive, pauseImage, root, { Entrypoint: ["/bin/sleep", "1000000000"] });
    await importImages(sandbox, archive);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Loads the images of an archive into the node, as `kind load image-archive` does. */
export async function importImages({ enter, folder }: Sandbox, archive: string): Promise<void> {
  const [program = "", ...words] = enter;
  const target = ["ctr", "--address", containerdSocket(folder), "--namespace", "k8s.io"];
  await promisify(execFile)(program, [...words, ...target, "images", "import", "--all-platforms", archive]);
}
