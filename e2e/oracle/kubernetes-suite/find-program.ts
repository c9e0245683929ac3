import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { buildKubernetes, cacheFolder, kubernetesVersion } from "../real/build-kubernetes.ts";
import { findPrograms, kubectlReleases } from "../../support/kubectl-binaries.ts";

/** The program of Kubernetes' own end-to-end tests with the kubectl that it calls, or why one is not available. */
export type SuiteProgram = { readonly path: string; readonly kubectl: string } | { readonly missing: string };

/** Finds e2e.test in the cache, else builds it there: within minutes after the control plane, or more before it. */
export function findProgram({ build = true } = {}): SuiteProgram {
  // Specs read what the kubectl of their release prints.
  const minor = Math.min(Number(kubernetesVersion.split(".")[1]), Number(kubectlReleases.at(-1)));
  const programs = findPrograms(`${minor}`);
  if ("missing" in programs) return programs;
  const { kubectl } = programs;
  const folder = cacheFolder("e2e-test");
  const path = join(folder, "e2e.test");
  if (existsSync(path)) return { path, kubectl };
  if (!build) return { missing: `no e2e.test in "${folder}": npm run lab -- conformance makes it` };
  if (spawnSync("go", ["version"]).status !== 0) return { missing: "no Go to build e2e.test with" };
  buildKubernetes(folder, [{ output: "e2e.test", path: "k8s.io/kubernetes/test/e2e", isTest: true }]);
  return { path, kubectl };
}
