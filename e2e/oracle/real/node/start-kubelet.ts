import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { eventually } from "../../../support/eventually.ts";
import { type NodeName, nodeAddress } from "./addresses.ts";
import type { WriteKubeconfig } from "./credentials.ts";
import { writeImageArchive } from "./image-archive.ts";
import { containerdSocket, pauseImage, writeNodeFiles } from "./node-files.ts";
import type { NodePrograms } from "./node-programs.ts";
import type { Program, Sandbox } from "./sandbox.ts";

/** Starts what makes a node: a kubelet and its container runtime. */
export async function startKubelet(
  sandbox: Sandbox,
  { node }: NodePrograms,
  writeKubeconfig: WriteKubeconfig,
  name: NodeName,
): Promise<Program[]> {
  const { folder, start } = sandbox;
  const files = writeNodeFiles(sandbox, name);
  const containerd = start(`containerd-${name}`, ["containerd", "--config", files.containerd]);
  await eventually(() => importPauseImage(sandbox, name), containerd.watched, 60_000);
  const kubelet = [
    `--kubeconfig=${writeKubeconfig(`system:node:${name}`)}`,
    `--config=${files.kubelet}`,
    `--root-dir=${join(folder, name, "kubelet")}`,
    `--hostname-override=${name}`,
    `--node-ip=${nodeAddress}`,
  ];
  return [containerd, start(`kubelet-${name}`, [join(node, "kubelet"), ...kubelet])];
}

/** A pod's first container holds its namespaces and does nothing: busybox can. */
async function importPauseImage(sandbox: Sandbox, name: NodeName): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "pause-"));
  const archive = join(sandbox.folder, name, "pause.tar");
  try {
    mkdirSync(join(root, "bin"));
    copyFileSync("/bin/busybox", join(root, "bin/busybox"));
    symlinkSync("busybox", join(root, "bin/sleep"));
    writeImageArchive(archive, pauseImage, root, { Entrypoint: ["/bin/sleep", "1000000000"] });
    await importImages(sandbox, name, archive);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Loads the images of an archive into a node. */
export async function importImages(
  { enter, folder }: Sandbox,
  name: NodeName,
  archive: string,
): Promise<void> {
  const [program = "", ...words] = enter;
  const target = ["ctr", "--address", containerdSocket(folder, name), "--namespace", "k8s.io"];
  await promisify(execFile)(program, [...words, ...target, "images", "import", "--all-platforms", archive]);
}
