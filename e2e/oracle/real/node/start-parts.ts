import { join } from "node:path";
import { repository } from "../../../support/source-imports.ts";
import { proxyWords } from "../../../../src/cluster/nodes/nodes.ts";
import { nodeNames } from "./addresses.ts";
import { controlPlaneFlags } from "./control-plane-flags.ts";
import type { WriteKubeconfig } from "./credentials.ts";
import type { NodePrograms } from "./node-programs.ts";
import type { Program, Sandbox } from "./sandbox.ts";
import { inFolder } from "./start-kubelet.ts";

/** Starts etcd, the API server, and what makes it reachable from outside. */
export function startApi({ folder, start }: Sandbox, { controlPlane }: NodePrograms): Program[] {
  const source = [
    "--conditions=@tsbuilder/source",
    "--import",
    join(repository, "node_modules/tsx/dist/loader.mjs"),
  ];
  const inside = [join(import.meta.dirname, "inside/main.ts"), folder, join(folder, "admin.kubeconfig")];
  const flags = controlPlaneFlags(folder);
  return [
    start("etcd", [join(controlPlane, "etcd"), ...flags.etcd]),
    start("kube-apiserver", [join(controlPlane, "kube-apiserver"), ...flags.apiserver]),
    start("inside", [process.execPath, ...source, ...inside]),
  ];
}

/** Starts the controllers, and what makes Services reachable. */
export function startControllers(
  { folder, start }: Sandbox,
  { controlPlane, node }: NodePrograms,
  writeKubeconfig: WriteKubeconfig,
): Program[] {
  // Nodes share a network, so one is enough.
  const proxy = start(
    "kube-proxy",
    inFolder(node, proxyWords(nodeNames[0], writeKubeconfig("system:kube-proxy"))),
  );
  const flags = controlPlaneFlags(folder);
  const manager = flags.controllerManager(writeKubeconfig("system:kube-controller-manager"));
  const scheduler = flags.scheduler(writeKubeconfig("system:kube-scheduler"));
  return [
    start("kube-controller-manager", [join(controlPlane, "kube-controller-manager"), ...manager]),
    start("kube-scheduler", [join(node, "kube-scheduler"), ...scheduler]),
    proxy,
  ];
}
