import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { buildKubernetes, cacheFolder } from "./build-kubernetes.ts";

/** The folder of the binaries of a real control plane, or why they are not available. */
export type Binaries = { readonly folder: string } | { readonly missing: string };

const targets = [
  { output: "etcd", path: "go.etcd.io/etcd/server/v3" },
  { output: "kube-apiserver", path: "k8s.io/kubernetes/cmd/kube-apiserver" },
  { output: "kube-controller-manager", path: "k8s.io/kubernetes/cmd/kube-controller-manager" },
];

/**
 * Finds the binaries in `KUBEBUILDER_ASSETS`, else in the cache, else builds them there from their Go modules.
 * kube-controller-manager may be missing in `KUBEBUILDER_ASSETS`; tests that need it report that.
 */
export function findBinaries({ build = true } = {}): Binaries {
  const assets = process.env["KUBEBUILDER_ASSETS"];
  if (assets) return { folder: assets };
  const folder = cacheFolder("control-plane");
  if (targets.every(({ output }) => existsSync(join(folder, output)))) return { folder };
  if (!build) return { missing: `no control plane in "${folder}": npm run lab -- control-plane makes it` };
  if (spawnSync("go", ["version"]).status !== 0) {
    return { missing: "no Go to build kube-apiserver with, and KUBEBUILDER_ASSETS is not set" };
  }
  buildKubernetes(folder, targets);
  return { folder };
}
