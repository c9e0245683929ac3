import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { backgroundClock } from "@tsbuilder/apimachinery/time";
import type {
  AnsweredRequest,
  Cluster,
  ClusterWrite,
  MetFailure,
  NodesOptions,
  WebhookCall,
} from "@tsbuilder/cluster";
import { writePrivate } from "../../shared/files.ts";
import { MovableClock } from "./movable-clock.ts";
import type { DevCluster } from "./dev-cluster.ts";
import type { Report } from "../dev-event.ts";
import { explainStart, failureReporter } from "./cluster-failures.ts";
import { inNamespace } from "./kubeconfig.ts";
import { OperatorLeases } from "./operator-leases.ts";
import { pageAgent, restorer } from "../record/recorded.ts";
import { leases as leasesResource } from "../record/session-recording.ts";

export type { NodesOptions } from "@tsbuilder/cluster";

export interface EmbeddedOptions {
  readonly projectName: string;
  /** The namespace of the operator's ServiceAccount. Default: that of kubebuilder, `PROJECT-system`. */
  readonly namespace?: string | undefined;
  /** Default: a free port. */
  readonly port: number | undefined;
  /** Persist the cluster's objects for the next session. */
  readonly persist: boolean;
  readonly nodes?: NodesOptions | undefined;
  /** The release of Kubernetes. Default: that of the environment variable, or 1.36. */
  readonly kubernetesVersion?: string | undefined;
  readonly onWrite?: ((write: ClusterWrite) => void) | undefined;
  /** Receives each request of the operator that met a planned failure. */
  readonly onFault?: ((failure: MetFailure) => void) | undefined;
  readonly onWebhookCall?: ((call: WebhookCall) => void) | undefined;
  /** Receives each answered request of the operator. */
  readonly onRequest?: ((request: AnsweredRequest) => void) | undefined;
}

/** Starts the embedded cluster with all its controllers, and writes its kubeconfigs to the project's folder. */
export async function startEmbeddedCluster(
  folder: string,
  options: EmbeddedOptions,
  report: Report,
): Promise<DevCluster> {
  const { controllerNames, PlannedFailures, startCluster } = await import("@tsbuilder/cluster");
  mkdirSync(folder, { recursive: true });
  const { projectName, port, persist, nodes, kubernetesVersion } = options;
  const { namespace = `${projectName}-system`, onWrite, onFault, onWebhookCall, onRequest } = options;
  const isOperator = (user: string): boolean => user.startsWith(`system:serviceaccount:${namespace}:`);
  const leases = new OperatorLeases(isOperator);
  const failures = new PlannedFailures(onFault);
  const clock = new MovableClock();
  const cluster = await startCluster({
    // Kubelets have the real time.
    ...(nodes ? { nodes } : { clock, connectionClock: backgroundClock }),
    kubernetesVersion,
    controllers: controllerNames,
    onError: failureReporter((error) => report({ type: "error", error })),
    ...(port ? { port } : {}),
    onWrite: (write) => {
      leases.observe(write);
      onWrite?.(write);
    },
    onWebhookCall,
    onRequest: onRequest && ((request) => isOperator(request.user) && onRequest(request)),
    intercept: (request) => (isOperator(request.user) ? failures.take(request) : undefined),
    ...(persist ? { dataDir: join(folder, "data") } : {}),
  }).catch(explainStart);
  const writeConfig = (name: string, content: object): string => {
    const file = join(folder, name);
    writePrivate(file, JSON.stringify(content, undefined, 2));
    return file;
  };
  const { createClient, loadConfig } = await import("@tsbuilder/runtime");
  const config = await loadConfig({ kubeconfig: cluster.kubeconfig, env: {} });
  return {
    url: cluster.url,
    kubeconfig: writeConfig("kubeconfig", cluster.kubeconfig),
    client: createClient(config),
    namespace,
    prefix: "",
    sampleNamespace: "default",
    outlivesSession: false,
    actAs: async (serviceAccount) => {
      const account = cluster.addUser(`system:serviceaccount:${namespace}:${serviceAccount}`, [
        "system:serviceaccounts",
        `system:serviceaccounts:${namespace}`,
        "system:authenticated",
      ]);
      return writeConfig("operator.kubeconfig", inNamespace(account, namespace));
    },
    stop: () => cluster.stop(),
    controls: {
      client: createClient(config, { userAgent: pageAgent }),
      failures,
      leases,
      clock,
      hasNodes: nodes !== undefined,
      restore: (states) => restore(cluster, states),
    },
  };
}

/** Replaces all objects by earlier states. Leases are not recorded: they are kept in namespaces that existed then. */
function restore(cluster: Cluster, states: readonly ClusterWrite[]): void {
  const namespaces = new Set(states.flatMap(({ resource, key }) => (resource === "namespaces" ? key : [])));
  const kept = [...(cluster.snapshot().collections.get(leasesResource)?.values() ?? [])]
    .filter(({ key }) => namespaces.has(key.split("/")[0]!))
    .map(({ key, bytes }) => ({ resource: leasesResource, key, bytes }));
  cluster.restore(cluster.snapshotOf([...states, ...kept]), restorer);
}
