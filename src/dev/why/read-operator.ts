import { ApiError, type Client, type KubernetesObject } from "@tsbuilder/runtime";
import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { Lease } from "@tsbuilder/runtime/k8s/coordination/v1";
import { Pod } from "@tsbuilder/runtime/k8s/core/v1";
import { isObject } from "@tsbuilder/apimachinery/json";
import { formatLabelSelector } from "@tsbuilder/apimachinery/selector";
import { TsbuilderError } from "../../shared/errors.ts";
import { operatorLabels } from "../cluster/other-cluster.ts";
import { keyName } from "../record/recorded.ts";
import { readableLogLine } from "../view/readable-log.ts";
import type { LeaseFact, LogFact, OperatorFact, Unknown } from "./object-facts.ts";

/** Chooses the operator's Deployment. */
export interface OperatorChoice {
  /** Names that its label `app.kubernetes.io/name` may have. */
  readonly names: readonly string[];
  /** The Deployment itself. */
  readonly deployment?: { readonly namespace: string; readonly name: string } | undefined;
}

/** The lines of each pod's log that are read. */
const logLines = 2000;

/** Reads how the operator of an object runs, and what its log warns of; undefined if it isn't found. */
export async function readOperator(
  client: Client,
  choice: OperatorChoice,
  object: KubernetesObject,
  unknown: Unknown,
): Promise<{ readonly fact: OperatorFact; readonly log: readonly LogFact[] } | undefined> {
  const deployment = await unknown.read(
    "how the operator runs",
    () => findDeployment(client, choice),
    undefined,
  );
  if (!deployment?.spec) {
    unknown.add(
      `how the operator runs, and what it logs: no Deployment with the label control-plane=controller-manager is named ${choice.names.join(" or ") || "by anything"}; name it with --operator NAMESPACE/DEPLOYMENT`,
    );
    return undefined;
  }
  const { spec, status, metadata } = deployment;
  const { namespace } = metadata;
  const labels = formatLabelSelector(spec.selector);
  const [pods, leases] = await Promise.all([
    unknown.read("the operator's pods", () => client.list(Pod, { namespace, labels }), []),
    unknown.read("who leads", () => client.list(Lease, { namespace }), []),
  ]);
  const read = (pod: PodKey, previous: boolean): Promise<string> =>
    unknown.read("the operator's log", () => readLog(client, pod, previous), "");
  const logs = await Promise.all(
    pods.flatMap(({ metadata: { name }, status }) => {
      // The container that ended has said why.
      const hasEnded = status?.containerStatuses?.some(({ restartCount }) => restartCount > 0) === true;
      const pod = { namespace, name };
      return hasEnded ? [read(pod, true), read(pod, false)] : [read(pod, false)];
    }),
  );
  return {
    fact: {
      key: keyName(metadata),
      wanted: spec.replicas ?? 1,
      ready: status?.readyReplicas ?? 0,
      pods,
      leases: leases.flatMap((lease): LeaseFact[] => {
        const {
          renewTime,
          holderIdentity = "",
          leaseDurationSeconds = 0,
          leaseTransitions = 0,
        } = lease.spec ?? {};
        if (renewTime === undefined) return [];
        return [
          {
            name: keyName(lease.metadata),
            holder: holderIdentity,
            renewed: Date.parse(renewTime),
            seconds: leaseDurationSeconds,
            transitions: leaseTransitions,
          },
        ];
      }),
    },
    log: logs.flatMap((log) => warningsIn(log, object)).sort((a, b) => a.at - b.at),
  };
}

async function findDeployment(client: Client, { names, deployment }: OperatorChoice) {
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

interface PodKey {
  readonly namespace: string;
  readonly name: string;
}

async function readLog(client: Client, pod: PodKey, previous: boolean): Promise<string> {
  try {
    return await client.logs(pod, { tail: logLines, previous }).text();
  } catch (error) {
    // What is left of a container that ended may be removed already.
    if (previous && error instanceof ApiError && (error.isBadRequest || error.isNotFound)) return "";
    throw error;
  }
}

/** Returns the lines of a log that warn: about an object, or about the operator itself. */
export function warningsIn(log: string, { kind, metadata }: KubernetesObject): LogFact[] {
  return log.split("\n").flatMap((line): LogFact[] => {
    const fields = parseLine(line);
    const readable = readableLogLine(line);
    const level = fields?.["level"];
    if (!fields || !readable || (level !== "warn" && level !== "error")) return [];
    const { ts, msg, namespace, name } = fields;
    const isAbout = typeof name === "string";
    const isNamed = name === metadata.name && namespace === metadata.namespace;
    // A line about another object says nothing here.
    if (isAbout && !(isNamed && (fields["controllerKind"] === kind || kind in fields))) return [];
    const text = readable.text.trim().replaceAll(/\s{2,}/gu, " ");
    return [{ at: Date.parse(String(ts)), level, message: String(msg), text, isAbout }];
  });
}

function parseLine(line: string): Readonly<Record<string, unknown>> | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const fields: unknown = JSON.parse(line);
    return isObject(fields) ? fields : undefined;
  } catch {
    return undefined;
  }
}
