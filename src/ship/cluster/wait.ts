import { setTimeout as delay } from "node:timers/promises";
import type { TsbuilderError } from "../../shared/errors.ts";
import { type ClusterChoice, readJson, readList, runKubectl, timedOut } from "./kubectl.ts";
import { type ManifestObject, formatManifest, isCrd } from "../manifest.ts";

/** Waits until the Deployment is available, and the API server reaches its webhooks. On timeout, explains what is missing. */
export async function waitForOperator(
  deployed: readonly ManifestObject[],
  renderSamples: () => Promise<readonly ManifestObject[]>,
  choice: ClusterChoice,
  seconds: number,
): Promise<void> {
  const deadline = Date.now() + seconds * 1000;
  const options = { ...choice, seconds };
  const deployment = deployed.find(({ kind }) => kind === "Deployment");
  if (deployment) await waitUntil(deadline, () => checkDeployment(deployment, options));
  if (!hasWebhooks(deployed)) return;
  if (deployment) await waitUntil(deadline, () => checkFormerPods(deployment, options));
  const samples = await renderSamples();
  await waitUntil(deadline, () => checkWebhooks(deployed, samples, options));
}

/** Makes the error that says what is not ready yet. It is called only on a timeout, since it may ask the cluster. */
export type ExplainTimeout = () => Promise<TsbuilderError>;

/** Repeats a check until it returns undefined: all is ready. After the deadline, throws the error of the last check. */
async function waitUntil(deadline: number, check: () => Promise<ExplainTimeout | undefined>): Promise<void> {
  for (;;) {
    const explain = await check();
    if (!explain) return;
    if (Date.now() >= deadline) throw await explain();
    await delay(1000);
  }
}

interface WaitOptions extends ClusterChoice {
  readonly seconds: number;
}

/**
 * Checks that the API server reaches the webhooks. A ready pod is not enough: the nodes' rules for the Service and the API
 * server's copy of the CA arrive later, and writes are refused until then. The samples are sent as a dry run: they pass all
 * webhooks, and nothing is stored.
 */
async function checkWebhooks(
  deployed: readonly ManifestObject[],
  samples: readonly ManifestObject[],
  { seconds, ...choice }: WaitOptions,
): Promise<ExplainTimeout | undefined> {
  if (samples.length === 0) return undefined;
  const failures = unreachedWebhooks(await dryRunErrors(samples, choice), deployed);
  if (failures.length === 0) return undefined;
  const message = `the API server does not reach the operator's webhooks after ${seconds} s`;
  const hint =
    "the operator is available; look at the Service of its webhooks, its EndpointSlices, and network policies";
  return async () => timedOut(message, failures, hint);
}

/** Returns whether the API server calls a deployment's operator. */
export function hasWebhooks(deployed: readonly ManifestObject[]): boolean {
  return admissionWebhooks(deployed).length > 0 || convertedGroups(deployed).length > 0;
}

/** Returns those of kubectl's error lines that say that the API server could not call a webhook of the deployment. */
export function unreachedWebhooks(errors: string, deployed: readonly ManifestObject[]): string[] {
  const names = new Set(admissionWebhooks(deployed));
  const groups = new Set(convertedGroups(deployed));
  return errors.split("\n").filter((line) => {
    const name = /failed calling webhook "([^"]+)"/.exec(line)?.[1];
    const group = /conversion webhook for ([^/\s]+)\/\S+ Kind=\S+ failed/.exec(line)?.[1];
    return (name !== undefined && names.has(name)) || (group !== undefined && groups.has(group));
  });
}

function admissionWebhooks(deployed: readonly ManifestObject[]): string[] {
  return deployed
    .filter(({ kind }) => /^(Mutating|Validating)WebhookConfiguration$/.test(kind))
    .flatMap((object) => (object["webhooks"] ?? []) as readonly { readonly name: string }[])
    .map(({ name }) => name);
}

/** Returns the API groups of the CRDs that a deployment's webhooks convert. */
function convertedGroups(deployed: readonly ManifestObject[]): string[] {
  return deployed
    .filter(isCrd)
    .map(
      ({ spec }) => spec as { readonly group: string; readonly conversion?: { readonly strategy: string } },
    )
    .filter(({ conversion }) => conversion?.strategy === "Webhook")
    .map(({ group }) => group);
}

/** Sends the samples as a dry run. Returns kubectl's error lines; empty if the API server admits all of them. */
async function dryRunErrors(samples: readonly ManifestObject[], choice: ClusterChoice): Promise<string> {
  try {
    const words = ["create", "--dry-run=server", "--filename", "-"];
    await runKubectl(choice, words, formatManifest(samples));
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

async function checkDeployment(
  { metadata: { name, namespace = "default" } }: ManifestObject,
  { seconds, ...choice }: WaitOptions,
): Promise<ExplainTimeout | undefined> {
  const scope = ["--namespace", namespace];
  const deployment = await readJson<DeploymentState>(choice, ["get", "deployment", name, ...scope]);
  if (deployment && isAvailable(deployment)) return undefined;
  return async () => {
    const reasons = await findReasons(deployment, choice, scope);
    const found = reasons.length > 0 ? reasons : ["no pod or event explains it"];
    const message = `deployment "${name}" is not available after ${seconds} s`;
    return timedOut(
      message,
      found,
      `for details, run: kubectl describe deployment ${name} ${scope.join(" ")}`,
    );
  };
}

interface WarningEvent {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly involvedObject?: { readonly kind?: string; readonly name?: string };
}

async function findReasons(
  deployment: DeploymentState | undefined,
  choice: ClusterChoice,
  scope: readonly string[],
): Promise<string[]> {
  const pods = await readPods(deployment?.spec, choice, scope);
  return explainDeployment(deployment, pods, await readList<WarningEvent>(choice, "events", ...scope));
}

/** Checks that no pod of the former version is left. Until they end, they answer the API server, and may not know new fields. */
async function checkFormerPods(
  { metadata: { namespace = "default" }, spec }: ManifestObject,
  { seconds, ...choice }: WaitOptions,
): Promise<ExplainTimeout | undefined> {
  const pods = await readPods(spec as DeploymentState["spec"], choice, ["--namespace", namespace]);
  const ending = pods.find((pod) => isEnding(pod, Date.now()));
  if (!ending) return undefined;
  const { name } = ending.metadata;
  const message = `pod ${name} of the former version has not ended after ${seconds} s`;
  const hint = `the operator is available; look at the pod: kubectl describe pod ${name} --namespace ${namespace}`;
  return async () => timedOut(message, [], hint);
}

/** The relevant fields of a Deployment's or pod's condition. */
interface Condition {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
}

interface ContainerStatus {
  readonly name: string;
  readonly ready?: boolean;
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string };
    readonly terminated?: { readonly reason?: string; readonly exitCode?: number };
    readonly running?: object;
  };
}

/** The fields that explain why a pod is not ready. */
interface PodState {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
  readonly spec?: { readonly nodeName?: string };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly Condition[];
    readonly containerStatuses?: readonly ContainerStatus[];
  };
}

/** Reads the pods that a Deployment selects, those that are ending included. */
async function readPods(
  spec: DeploymentState["spec"] | undefined,
  choice: ClusterChoice,
  scope: readonly string[],
): Promise<readonly PodState[]> {
  const labels = Object.entries(spec?.selector.matchLabels ?? {});
  const selector = labels.map(([key, value]) => `${key}=${value}`).join(",");
  return readList<PodState>(choice, "pods", "--selector", selector, ...scope);
}

/** Milliseconds for the delay of a container's reported end, and for differing clocks. */
const endingAllowance = 30_000;

/**
 * Returns whether a pod is ending, and may still work. The deletion timestamp is the latest time at which its containers are
 * killed. Long after it, the node has stopped answering, and the pod is ignored.
 */
export function isEnding({ metadata: { deletionTimestamp } }: PodState, now: number): boolean {
  return deletionTimestamp !== undefined && now < Date.parse(deletionTimestamp) + endingAllowance;
}

/** The fields that decide whether a Deployment is available. */
export interface DeploymentState {
  readonly metadata: { readonly generation?: number };
  readonly spec: {
    readonly replicas?: number;
    readonly selector: { readonly matchLabels?: Record<string, string> };
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
    readonly conditions?: readonly Condition[];
  };
}

/** Returns whether all pods are available, and made from the latest template: outdated pods are available, too. */
export function isAvailable({ metadata, spec, status = {} }: DeploymentState): boolean {
  const wanted = spec.replicas ?? 1;
  const { observedGeneration = 0, replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = status;
  return (
    observedGeneration >= (metadata.generation ?? 0) &&
    updatedReplicas >= wanted &&
    replicas <= updatedReplicas &&
    availableReplicas >= updatedReplicas
  );
}

/** Explains why a Deployment is not available: its conditions, its pods, and the latest warning events. */
function explainDeployment(
  deployment: DeploymentState | undefined,
  pods: readonly PodState[],
  events: readonly WarningEvent[],
): string[] {
  return [
    ...(deployment?.status?.conditions ?? [])
      .filter(isFailing)
      .map(({ type, message = "" }) => `${type}: ${message}`),
    ...pods.flatMap((pod) => podReasons(pod).map((reason) => `pod ${pod.metadata.name}: ${reason}`)),
    ...events
      .filter(({ type }) => type === "Warning")
      .slice(-5)
      .map(
        ({ reason, message, involvedObject: of }) => `event ${reason} of ${of?.kind} ${of?.name}: ${message}`,
      ),
  ];
}

/** Most conditions are good when true; ReplicaFailure is not. */
function isFailing({ type, status }: Condition): boolean {
  return status === (type === "ReplicaFailure" ? "True" : "False");
}

function podReasons({ spec, status }: PodState): string[] {
  const reasons = [
    ...(status?.conditions ?? [])
      .filter(({ type, status: holds, message }) => type === "PodScheduled" && holds === "False" && message)
      .map(({ message }) => message!),
    ...(status?.containerStatuses ?? []).flatMap(containerReasons),
  ];
  if (reasons.length === 0 && status?.phase === "Pending")
    return [spec?.nodeName ? `Pending on node ${spec.nodeName}` : "Pending, on no node yet"];
  return reasons;
}

function containerReasons({ name, ready, state: { waiting, terminated, running } = {} }: ContainerStatus) {
  if (waiting)
    return [`container ${name} is waiting: ${waiting.reason ?? "?"} ${waiting.message ?? ""}`.trimEnd()];
  if (terminated)
    return [`container ${name} terminated: ${terminated.reason ?? "?"} (${terminated.exitCode})`];
  return running && ready === false ? [`container ${name} is running but not ready`] : [];
}
