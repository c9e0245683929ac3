import { isObject } from "@tsbuilder/apimachinery/json";
import { type KubernetesObject, podProblem } from "@tsbuilder/apimachinery/meta";

/** How something stands, from the worst: it failed, it is on its way, it is as it should be, or it does not say. */
export type Tone = "bad" | "busy" | "good" | "none";

/** The tones from the worst to the best. */
export const tones = ["bad", "busy", "good", "none"] as const satisfies readonly Tone[];

/** A condition of a status with what its status means. */
export interface ShownCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  /** Milliseconds since 1970; NaN if it is unknown. */
  readonly since: number;
  readonly tone: Tone;
}

/** How an object stands by itself, with the words of what decides. */
export interface Standing {
  readonly tone: Tone;
  /** Empty for an object that is as it should be. */
  readonly why: string;
  readonly conditions: readonly ShownCondition[];
}

/** Types of conditions whose True is a fault: `Degraded`, `MemoryPressure`, `ReplicaFailure`, `NotReady`. */
const faults =
  /^(?:Degraded|Stalled|Fail(?:ed|ing|ure|ureTarget)|Error|Blocked|Conflicted|Dangling|Denied|Invalid\w*|Expired|Unhealthy|No[nt][A-Z]\w*|\w*(?:Pressure|Failure|Failed|Unavailable|Unreachable|Error|Degraded|Stalled))$/u;

/** Types whose True is work that goes on. False, they say nothing. */
const work =
  /^(?:Reconciling|Progressing|Updating|Upgrading|Scaling|Resizing|Migrating|Restoring|Provisioning|Initializing|Creating|Deleting|Terminating|Issuing|ModifyingVolume|DisruptionTarget|\w*(?:Pending|Remaining))$/u;

/** Types that only inform: of what a user asked for, whether a Pod may be evicted, and of the network of a Pod that has ended. */
const facts = /^(?:Suspended|Paused|ScalingLimited|DisruptionAllowed|PodReadyToStartContainers)$/u;

/** Reasons with which a False is a failure, and not just too early. */
const failures = /(?:Fail|Error|BackOff|Invalid|Rejected|Denied|Exceeded|Crash|Forbidden)/u;

/** Returns what a condition means. Kubernetes has no marker for the polarity of a type, so its name tells. */
export function conditionTone(type: string, status: string, reason = ""): Tone {
  if (facts.test(type)) return "none";
  const isTrue = status === "True";
  if (faults.test(type)) return isTrue ? "bad" : status === "Unknown" ? "busy" : "none";
  // A Deployment keeps Progressing=True once its rollout is complete.
  if (work.test(type)) {
    if (isTrue) return reason === "NewReplicaSetAvailable" ? "none" : "busy";
    return failures.test(reason) ? "bad" : "none";
  }
  if (isTrue || reason === "PodCompleted") return "good";
  return status === "False" && failures.test(reason) ? "bad" : "busy";
}

/** The fields of the status of any object that tell how it stands. */
interface Status {
  readonly phase?: unknown;
  readonly observedGeneration?: unknown;
  readonly replicas?: unknown;
  readonly readyReplicas?: unknown;
  readonly numberReady?: unknown;
  readonly desiredNumberScheduled?: unknown;
  readonly conditions?: unknown;
  readonly initContainerStatuses?: unknown;
  readonly containerStatuses?: unknown;
}

/** The phases of Pods, PersistentVolumeClaims and Namespaces. */
const phases: Readonly<Record<string, Tone>> = {
  Succeeded: "good",
  Bound: "good",
  Active: "good",
  Pending: "busy",
  Terminating: "busy",
  Failed: "bad",
  Lost: "bad",
};

/** The states of objects are never changed, and asked about again with each change of another one. */
const known = new WeakMap<KubernetesObject, Standing>();

export function standingOf(object: KubernetesObject): Standing {
  let standing = known.get(object);
  if (standing === undefined) known.set(object, (standing = readStanding(object)));
  return standing;
}

/** Returns how an object stands, from its deletion, its containers, its conditions, its phase and its replicas: the worst decides. */
function readStanding(object: KubernetesObject): Standing {
  const {
    metadata,
    spec,
    status: any,
  } = object as KubernetesObject & Partial<Record<"spec" | "status", unknown>>;
  const status: Status = isObject(any) ? any : {};
  const conditions = conditionsOf(object, status);
  const says: { readonly tone: Tone; readonly why: string }[] = conditions.map((one) => ({
    tone: one.tone,
    why: wordsOf(one),
  }));
  if (metadata.deletionTimestamp != null) says.unshift({ tone: "busy", why: "is being deleted" });
  else if (object.apiVersion === "v1" && object.kind === "Pod") {
    // Without its conditions: a Pod that no node has room for waits, and another node may come.
    const [initContainerStatuses, containerStatuses] = [
      status.initContainerStatuses,
      status.containerStatuses,
    ].map(listOf);
    const problem = podProblem({
      ...object,
      status: { ...status, conditions: [], initContainerStatuses, containerStatuses } as object,
    });
    if (problem) says.unshift({ tone: "bad", why: problem.message });
  }
  const { phase, observedGeneration: seen } = status;
  if (typeof phase === "string" && Object.hasOwn(phases, phase))
    says.push({ tone: phases[phase]!, why: phase });
  if (typeof seen === "number" && seen < (metadata.generation ?? 0))
    says.push({ tone: "busy", why: "its spec has changed, and its status does not tell of that yet" });
  const wanted = status.desiredNumberScheduled ?? (isObject(spec) ? spec["replicas"] : undefined);
  // The workloads of Kubernetes omit a zero; of another kind it may mean that it doesn't count them.
  const isWorkload = object.apiVersion === "apps/v1" || object.apiVersion === "v1";
  const ready = status.readyReplicas ?? status.numberReady ?? (isWorkload ? 0 : undefined);
  // Those with conditions, such as Deployments, count for themselves; a kind without replicas in its status means something else.
  const existing = status.replicas ?? status.numberReady;
  if (typeof wanted === "number" && existing !== undefined && conditions.length === 0) {
    const has = Number(ready ?? existing);
    if (has < wanted)
      says.push({ tone: "busy", why: `${has} of ${wanted} ${ready === undefined ? "exist" : "ready"}` });
    else says.push({ tone: ready === undefined ? "none" : "good", why: "" });
  }
  const tone = tones.find((one) => says.some((each) => each.tone === one)) ?? "none";
  const why = tone === "good" ? "" : (says.find((each) => each.tone === tone)?.why ?? "");
  return { tone, why: tone === "none" ? "" : why, conditions };
}

/** Reads the conditions of any object; a custom resource may have a status of another form. */
function conditionsOf({ apiVersion, kind }: KubernetesObject, { conditions }: Status): ShownCondition[] {
  const isNode = apiVersion === "v1" && kind === "Node";
  return listOf(conditions).flatMap((condition) => {
    if (typeof condition["type"] !== "string") return [];
    const { type } = condition;
    const [status, reason, message] = [condition["status"], condition["reason"], condition["message"]].map(
      textOf,
    );
    const since = Date.parse(textOf(condition["lastTransitionTime"]));
    return [
      {
        type,
        status: status!,
        reason: reason!,
        message: message!,
        since,
        // A Node reports that it isn't ready, or its kubelet reports nothing any more: nothing else says that it is down.
        tone: isNode && type === "Ready" && status !== "True" ? "bad" : conditionTone(type, status!, reason),
      },
    ];
  });
}

/** Returns the objects of a list: a recording by somebody else may have anything in its place. */
function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A condition in words; its type is left out where the reason tells more. */
function wordsOf({ type, status, reason, message }: ShownCondition): string {
  const state = status === "True" ? type : `${type} is ${status}`;
  return [state, reason, message].filter((part) => part !== "").join(": ");
}
