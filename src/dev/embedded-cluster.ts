import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Cluster, ClusterWrite, WebhookCall } from "@tsbuilder/cluster";
import { writePrivate } from "../shared/write-private.ts";
import type { DevCluster } from "./dev-cluster.ts";
import type { Report } from "./dev-event.ts";
import { explainStart } from "./explain-start.ts";
import { PlannedFailures } from "./page/planned-failures.ts";
import { restorer } from "./record/recorded.ts";
import { leases } from "./record/session-recording.ts";
import { failureReporter } from "./report-failure.ts";

/** The options of a session's embedded cluster. */
export interface EmbeddedOptions {
  readonly projectName: string;
  /** Default: a free port. */
  readonly port: number | undefined;
  /** Persist the cluster's objects for the next session. */
  readonly persist: boolean;
  readonly onWrite?: ((write: ClusterWrite) => void) | undefined;
  readonly onWebhookCall?: ((call: WebhookCall) => void) | undefined;
}

/** Starts the embedded cluster with all its controllers, and writes its kubeconfigs to the project's folder. */
export async function startEmbeddedCluster(
  folder: string,
  { projectName, port, persist, onWrite, onWebhookCall }: EmbeddedOptions,
  report: Report,
): Promise<DevCluster> {
  const { controllerNames, startCluster } = await import("@tsbuilder/cluster");
  mkdirSync(folder, { recursive: true });
  const namespace = `${projectName}-system`;
  const failures = new PlannedFailures();
  const cluster = await startCluster({
    controllers: controllerNames,
    onError: failureReporter((error) => report({ type: "error", error })),
    ...(port ? { port } : {}),
    onWrite,
    onWebhookCall,
    intercept: (request) =>
      request.user.startsWith(`system:serviceaccount:${namespace}:`) ? failures.take(request) : undefined,
    ...(persist ? { dataDir: join(folder, "data") } : {}),
  }).catch(explainStart);
  const write = (name: string, content: object): string => {
    const file = join(folder, name);
    writePrivate(file, JSON.stringify(content, undefined, 2));
    return file;
  };
  const { createClient, loadConfig } = await import("@tsbuilder/runtime");
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
    own: { failures, restore: (states) => restore(cluster, states) },
  };
}

/** Leases are left as they are, but for those of namespaces that were not there. */
function restore(cluster: Cluster, states: readonly ClusterWrite[]): void {
  const namespaces = new Set(states.flatMap(({ resource, key }) => (resource === "namespaces" ? key : [])));
  const kept = [...(cluster.snapshot().collections.get(leases)?.values() ?? [])]
    .filter(({ key }) => namespaces.has(key.split("/")[0]!))
    .map(({ key, bytes }) => ({ resource: leases, key, bytes }));
  cluster.restore(cluster.snapshotOf([...states, ...kept]), restorer);
}
