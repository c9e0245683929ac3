/** The relevant fields of a Deployment's or pod's condition. */
interface Condition {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
}

/** What decides whether a Deployment is available: the tests need no more of one. */
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

/** What says why a pod is not ready. */
export interface PodState {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
  readonly spec?: { readonly nodeName?: string };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly Condition[];
    readonly containerStatuses?: readonly ContainerStatus[];
  };
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

export interface WarningEvent {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly involvedObject?: { readonly kind?: string; readonly name?: string };
}

/** Returns whether all pods are available, and of the latest template: those that are replaced are available, too. */
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
export function reasonsOf(
  deployment: DeploymentState | undefined,
  pods: readonly PodState[],
  events: readonly WarningEvent[],
): string[] {
  return [
    ...(deployment?.status?.conditions ?? []).filter(isBad).map(describeCondition),
    ...pods.flatMap((pod) => podReasons(pod).map((reason) => `pod ${pod.metadata.name}: ${reason}`)),
    ...events
      .filter(({ type }) => type === "Warning")
      .slice(-5)
      .map(describeEvent),
  ];
}

/** Most conditions are good when true; ReplicaFailure is not. */
function isBad({ type, status }: Condition): boolean {
  return status === (type === "ReplicaFailure" ? "True" : "False");
}

function describeCondition({ type, message = "" }: Condition): string {
  return `${type}: ${message}`;
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

function containerReasons({
  name,
  ready,
  state: { waiting, terminated, running } = {},
}: ContainerStatus): string[] {
  if (waiting)
    return [`container ${name} is waiting: ${waiting.reason ?? "?"} ${waiting.message ?? ""}`.trimEnd()];
  if (terminated)
    return [`container ${name} terminated: ${terminated.reason ?? "?"} (${terminated.exitCode})`];
  return running && ready === false ? [`container ${name} is running but not ready`] : [];
}

function describeEvent({ reason, message, involvedObject }: WarningEvent): string {
  return `event ${reason} of ${involvedObject?.kind} ${involvedObject?.name}: ${message}`;
}
