import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "@tsbuilder/runtime";
import { TsbuilderError } from "../../shared/errors.ts";
import { writePrivate } from "../../shared/files.ts";
import type { ClusterChoice } from "../../ship/cluster/kubectl.ts";
import { accountConfig, inNamespace, readKubeconfig } from "./kubeconfig.ts";
import type { DevCluster } from "./dev-cluster.ts";

/**
 * Opens an existing cluster for a session. The names of the objects that it applies start with the project's name and `-dev`, so
 * that a deployed operator is left alone; the selected kubeconfig is only read.
 */
export async function openOtherCluster(
  folder: string,
  choice: ClusterChoice,
  projectName: string,
): Promise<DevCluster> {
  const config = await readKubeconfig(choice);
  mkdirSync(folder, { recursive: true });
  const written: string[] = [];
  const write = (name: string, content: string): string => {
    const file = join(folder, name);
    writePrivate(file, content);
    written.push(file);
    return file;
  };
  const { createClient, loadConfig } = await import("@tsbuilder/runtime");
  const client = createClient(await loadConfig({ kubeconfig: write("kubeconfig", JSON.stringify(config)) }));
  await refuseSecondOperator(client, projectName);
  const namespace = `${projectName}-dev`;
  const ended = new AbortController();
  return {
    url: config.clusters[0].cluster.server,
    kubeconfig: join(folder, "kubeconfig"),
    client,
    namespace,
    prefix: `${namespace}-`,
    sampleNamespace: config.contexts[0].context.namespace ?? "default",
    outlivesSession: true,
    actAs: async (name) => {
      const account = { namespace, name };
      const acting = await accountConfig(client, config, account, { write, signal: ended.signal });
      return write("operator.kubeconfig", JSON.stringify(inNamespace(acting, namespace)));
    },
    stop: async () => {
      ended.abort();
      for (const file of written) rmSync(file, { force: true });
    },
  };
}

interface DeploymentList {
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly namespace: string };
    readonly spec: { readonly replicas?: number };
  }[];
}

/** Returns the label selector of the Deployment, and of the pods, of a project's operator. */
export function operatorLabels(projectName: string): string {
  return `control-plane=controller-manager,app.kubernetes.io/name=${projectName}`;
}

/** Throws if the operator is deployed in the cluster: without leader election, two would undo each other's changes. */
async function refuseSecondOperator(client: Client, projectName: string): Promise<void> {
  const path = `/apis/apps/v1/deployments?labelSelector=${encodeURIComponent(operatorLabels(projectName))}`;
  const { ApiError } = await import("@tsbuilder/runtime");
  const { text } = await client.request({ path }).catch((error: unknown) => {
    // A user who may not list Deployments in all namespaces can still develop.
    if (error instanceof ApiError && error.isForbidden) return { text: '{"items":[]}' };
    throw error;
  });
  const running = (JSON.parse(text) as DeploymentList).items.find(({ spec }) => (spec.replicas ?? 1) > 0);
  if (!running) return;
  const { name, namespace } = running.metadata;
  throw new TsbuilderError(
    `the operator is already running in this cluster: deployment "${name}" in "${namespace}"`,
    {
      code: "REFUSED",
      hint: `two of them would undo each other's changes: tsbuilder undeploy, or kubectl scale deployment ${name} -n ${namespace} --replicas 0`,
    },
  );
}
