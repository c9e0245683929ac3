import { ApiError, type Client, type KubernetesObject } from "@tsbuilder/runtime";
import { Lease } from "@tsbuilder/runtime/k8s/coordination/v1";
import { isObject } from "@tsbuilder/apimachinery/json";
import type { Recorded } from "../record/recorded.ts";
import { keyName } from "../record/recorded.ts";
import { readFlights, recorderPort } from "../record/read-flight.ts";
import { findDeployment, type OperatorChoice, podsOf } from "../operator/find-deployment.ts";
import { readableLogLine } from "../view/readable-log.ts";
import type { LeaseFact, LogFact, OperatorFact, Unknown } from "./object-facts.ts";

/** The lines of each pod's log that are read. */
const logLines = 2000;

interface KnownOperator {
  readonly fact: OperatorFact;
  readonly log: readonly LogFact[];
  /** What its flight recorders know; undefined if it has none. */
  readonly record: readonly Recorded[] | undefined;
}

/** Reads how the operator of an object runs, and what its log warns of; undefined if it isn't found. */
export async function readOperator(
  client: Client,
  choice: OperatorChoice,
  object: KubernetesObject,
  unknown: Unknown,
): Promise<KnownOperator | undefined> {
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
  const [pods, leases] = await Promise.all([
    unknown.read("the operator's pods", () => podsOf(client, deployment), []),
    unknown.read("who leads", () => client.list(Lease, { namespace }), []),
  ]);
  const read = (pod: PodKey, previous: boolean): Promise<string> =>
    unknown.read("the operator's log", () => readLog(client, pod, previous), "");
  const port = recorderPort(deployment);
  const record =
    port === undefined || pods.length === 0 ? undefined : readRecord(client, pods, port, unknown);
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
    record: await record,
    log: logs.flatMap((log) => warningsIn(log, object)).sort((a, b) => a.at - b.at),
  };
}

async function readRecord(
  client: Client,
  pods: Parameters<typeof readFlights>[1],
  port: number,
  unknown: Unknown,
): Promise<readonly Recorded[] | undefined> {
  try {
    return (await readFlights(client, pods, port)).recorded;
  } catch (error) {
    unknown.add(`what the operator recorded: ${(error as Error).message}`);
    return undefined;
  }
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
