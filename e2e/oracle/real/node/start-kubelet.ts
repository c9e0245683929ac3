import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { containerdSocket, writeNodeFiles } from "../../../../src/cluster/nodes/node-files.ts";
import { makePauseImage } from "../../../../src/cluster/nodes/pause-image.ts";
import { eventually } from "../../../support/eventually.ts";
import { type NodeName, nodeAddress, nodeNames } from "./addresses.ts";
import type { WriteKubeconfig } from "./credentials.ts";
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
  const data = join(folder, name);
  const files = writeNodeFiles({
    name,
    address: nodeAddress,
    index: nodeNames.indexOf(name),
    podRange: "10.245.0.0/24",
    folder,
    data,
    images: join(data, "containerd"),
    group: `/${sandbox.group}/${name}`,
    plugins: "/usr/lib/cni",
  });
  const containerd = start(`containerd-${name}`, ["containerd", "--config", files.containerd]);
  const archive = join(data, "pause.tar");
  writeFileSync(archive, makePauseImage());
  await eventually(() => importImages(sandbox, name, archive), containerd.watched, 60_000);
  const kubelet = [
    `--kubeconfig=${writeKubeconfig(`system:node:${name}`)}`,
    `--config=${files.kubelet}`,
    `--root-dir=${join(data, "kubelet")}`,
    `--hostname-override=${name}`,
    `--node-ip=${nodeAddress}`,
  ];
  return [containerd, start(`kubelet-${name}`, [join(node, "kubelet"), ...kubelet])];
}

/** Loads the images of an archive into a node. */
export async function importImages(
  { enter, folder }: Pick<Sandbox, "enter" | "folder">,
  name: NodeName,
  archive: string,
): Promise<void> {
  const [program = "", ...words] = enter;
  const target = ["ctr", "--address", containerdSocket(join(folder, name)), "--namespace", "k8s.io"];
  await promisify(execFile)(program, [...words, ...target, "images", "import", "--all-platforms", archive]);
}
