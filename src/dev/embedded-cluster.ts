import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { ClusterWrite } from "@tsbuilder/cluster";
import { writePrivate } from "../shared/write-private.ts";
import type { DevCluster } from "./dev-cluster.ts";
import type { Report } from "./dev-event.ts";
import { explainStart } from "./explain-start.ts";
import { failureReporter } from "./report-failure.ts";

/** The options of a session's embedded cluster. */
export interface EmbeddedOptions {
  readonly projectName: string;
  /** Default: a free port. */
  readonly port: number | undefined;
  /** Persist the cluster's objects for the next session. */
  readonly persist: boolean;
  readonly onWrite?: ((write: ClusterWrite) => void) | undefined;
}

/** Starts the embedded cluster with all its controllers, and writes its kubeconfigs to the project's folder. */
export async function startEmbeddedCluster(
  folder: string,
  { projectName, port, persist, onWrite }: EmbeddedOptions,
  report: Report,
): Promise<DevCluster> {
  const { controllerNames, startCluster } = await import("@tsbuilder/cluster");
  mkdirSync(folder, { recursive: true });
  const cluster = await startCluster({
    controllers: controllerNames,
    onError: failureReporter((error) => report({ type: "error", error })),
    ...(port ? { port } : {}),
    onWrite,
    ...(persist ? { dataDir: join(folder, "data") } : {}),
  }).catch(explainStart);
  const write = (name: string, content: object): string => {
    const file = join(folder, name);
    writePrivate(file, JSON.stringify(content, undefined, 2));
    return file;
  };
  const { createClient, loadConfig } = await import("@tsbuilder/runtime");
  const namespace = `${projectName}-system`;
  return {
    url: cluster.url,
    kubeconfig: write("kubeconfig", cluster.kubeconfig),
    client: createClient(await loadConfig({ kubeconfig: cluster.kubeconfig, env: {} })),
    namespace,
    prefix: "",
    sampleNamespace: "default",
    outlives: false,
    actAs: async (serviceAccount) =>
      write(
        "operator.kubeconfig",
        cluster.addUser(`system:serviceaccount:${namespace}:${serviceAccount}`, [
          "system:serviceaccounts",
          `system:serviceaccounts:${namespace}`,
          "system:authenticated",
        ]),
      ),
    stop: () => cluster.stop(),
  };
}
