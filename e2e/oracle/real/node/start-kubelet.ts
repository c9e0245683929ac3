import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeNodeFiles } from "../../../../src/cluster/nodes/node-files.ts";
import { importImages, kubeletWords } from "../../../../src/cluster/nodes/nodes.ts";
import { makePauseImage } from "../../../../src/cluster/nodes/pause-image.ts";
import { eventually } from "../../../support/eventually.ts";
import { type NodeName, nodeAddress, nodeNames } from "./addresses.ts";
import type { WriteKubeconfig } from "./credentials.ts";
import type { NodePrograms } from "./node-programs.ts";
import type { Program, Sandbox } from "./sandbox.ts";

/** Starts what makes a node: a kubelet and its container runtime. */
export async function startKubelet(
  sandbox: Sandbox,
  programs: NodePrograms,
  writeKubeconfig: WriteKubeconfig,
  name: NodeName,
): Promise<Program[]> {
  const { folder, start } = sandbox;
  const data = join(folder, name);
  const place = {
    name,
    address: nodeAddress,
    index: nodeNames.indexOf(name),
    podRange: "10.245.0.0/24",
    folder,
    data,
    images: join(data, "containerd"),
    group: `/${sandbox.group}/${name}`,
    plugins: "/usr/lib/cni",
  };
  const files = writeNodeFiles(place);
  const containerd = start(`containerd-${name}`, ["containerd", "--config", files.containerd]);
  const archive = join(data, "pause.tar");
  writeFileSync(archive, makePauseImage());
  await eventually(() => importImages(sandbox, place, archive), containerd.watched, 60_000);
  const words = kubeletWords(place, files.kubelet, writeKubeconfig(`system:node:${name}`));
  return [containerd, start(`kubelet-${name}`, restarted(inFolder(programs.node, words)))];
}

/**
 * Starts a program again whenever it ends, as kubeadm's unit for systemd does (`Restart=always`, `RestartSec=10`): a kubelet ends
 * if it finds a container runtime that isn't initialized yet, such as one that still reads what a killed one left.
 */
function restarted(words: readonly string[]): string[] {
  return ["sh", "-c", 'while true; do "$@"; echo "ended with $?"; sleep 10; done', "restarted", ...words];
}

/** The words of a command whose program is in a folder. */
export function inFolder(folder: string, [program = "", ...words]: readonly string[]): string[] {
  return [join(folder, program), ...words];
}
