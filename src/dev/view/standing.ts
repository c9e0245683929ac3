import { isObject } from "@tsbuilder/apimachinery/json";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";

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

/** Returns how an object stands, from its deletion, its conditions, its phase and its replicas: the worst of them decides. */
function readStanding(object: KubernetesObject): Standing {
  const {
    metadata,
    spec,
    status: any,
  } = object as KubernetesObject & Partial<Record<"spec" | "status", unknown>>;
  const status: Status = isObject(any) ? any : {};
  const conditions = conditionsOf(status);
  const says: { readonly tone: Tone; readonly why: string }[] = conditions.map((one) => ({
    tone: one.tone,
    why: wordsOf(one),
  }));
  if (metadata.deletionTimestamp != null) says.unshift({ tone: "busy", why: "is being deleted" });
  const { phase, observedGeneration: seen } = status;
  if (typeof phase === "string" && Object.hasOwn(phases, phase))
    says.push({ tone: phases[phase]!, why: phase });
  if (typeof seen === "number" && seen < (metadata.generation ?? 0))
    says.push({ tone: "busy", why: "its spec has changed, and its status does not tell of that yet" });
  const wanted = status.desiredNumberScheduled ?? (isObject(spec) ? spec["replicas"] : undefined);
  const ready = Number(status.readyReplicas ?? status.numberReady ?? 0);
  // Those with conditions, such as Deployments, count for themselves; a kind without replicas in its status means something else.
  const counts = status.replicas !== undefined || status.numberReady !== undefined;
  if (typeof wanted === "number" && counts && conditions.length === 0)
    says.push({ tone: ready < wanted ? "busy" : "good", why: `${ready} of ${wanted} ready` });
  const tone = tones.find((one) => says.some((each) => each.tone === one)) ?? "none";
  const why = tone === "good" ? "" : (says.find((each) => each.tone === tone)?.why ?? "");
  return { tone, why: tone === "none" ? "" : why, conditions };
}

/** Reads the conditions of any object; a custom resource may have a status of another form. */
function conditionsOf({ conditions }: Status): ShownCondition[] {
  if (!Array.isArray(conditions)) return [];
  return conditions.flatMap((condition: unknown) => {
    if (!isObject(condition) || typeof condition["type"] !== "string") return [];
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
        tone: conditionTone(type, status!, reason),
      },
    ];
  });
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A condition in words; its type is left out where the reason tells more. */
function wordsOf({ type, status, reason, message }: ShownCondition): string {
  const state = status === "True" ? type : `${type} is ${status}`;
  return [state, reason, message].filter((part) => part !== "").join(": ");
}
