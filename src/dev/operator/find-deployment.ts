import type { Client, Stored } from "@tsbuilder/runtime";
import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { Pod } from "@tsbuilder/runtime/k8s/core/v1";
import { formatLabelSelector } from "@tsbuilder/apimachinery/selector";
import { TsbuilderError } from "../../shared/errors.ts";
import { operatorLabels } from "../cluster/other-cluster.ts";

/** Chooses the operator's Deployment. */
export interface OperatorChoice {
  /** Names that its label `app.kubernetes.io/name` may have. */
  readonly names: readonly string[];
  /** The Deployment itself. */
  readonly deployment?: { readonly namespace: string; readonly name: string } | undefined;
}

/** Finds the Deployment of an operator; undefined if no label has one of the names. Throws if the chosen one doesn't exist. */
export async function findDeployment(client: Client, { names, deployment }: OperatorChoice) {
  if (deployment) {
    const found = await client.find(Deployment, deployment);
    if (found) return found;
    throw new TsbuilderError(`namespace "${deployment.namespace}" has no Deployment "${deployment.name}"`, {
      code: "NOT_FOUND",
      hint: "to list them: kubectl get deployments --all-namespaces --selector control-plane=controller-manager",
    });
  }
  for (const name of names.filter((one) => /^[\w.-]{1,63}$/u.test(one))) {
    const [found] = await client.list(Deployment, { labels: operatorLabels(name), limit: 1 });
    if (found) return found;
  }
  return undefined;
}

/** Returns the pods of a Deployment. */
export async function podsOf(client: Client, { spec, metadata }: Stored<Deployment>): Promise<Stored<Pod>[]> {
  if (!spec) return [];
  return client.list(Pod, { namespace: metadata.namespace, labels: formatLabelSelector(spec.selector) });
}
