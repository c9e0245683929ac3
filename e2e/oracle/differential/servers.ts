import { startTestCluster } from "@tsbuilder/cluster/testing";
import { kubernetesVersion } from "../real/build-kubernetes.ts";
import { startControlPlane } from "../../../src/cluster/testing/real/control-plane.ts";
import { UnforeseenErrors } from "../../support/unforeseen-errors.ts";
import type { Servers } from "./compare-servers.ts";

/** A real and an embedded server, both without any object of a user. */
export interface FreshServers extends Servers {
  /** Errors that the embedded server did not foresee: a defect, whatever it responded. */
  readonly unforeseen: readonly unknown[];
  stop(): Promise<void>;
}

/** Starts both servers; `assets` is the folder with kube-apiserver and etcd. */
export async function startServers(assets: string): Promise<FreshServers> {
  const unforeseen = new UnforeseenErrors();
  const control = await startControlPlane({ assets });
  const cluster = await startTestCluster({ onError: unforeseen.add, kubernetesVersion });
  return {
    real: { kubeconfig: control.issue("kubernetes-admin", ["system:masters"]) },
    embedded: { kubeconfig: cluster.kubeconfig },
    unforeseen: unforeseen.all,
    async stop() {
      await Promise.all([control.stop(), cluster.stop()]);
    },
  };
}
