import { isObject } from "@tsbuilder/apimachinery/json";
import {
  type DescribedCondition,
  type KubernetesObject,
  type Tone,
  describeConditions,
  podProblem,
  tones,
} from "@tsbuilder/apimachinery/meta";

/** How an object stands by itself, with the words of what decides. */
export interface Standing {
  readonly tone: Tone;
  /** Empty for an object that is as it should be. */
  readonly why: string;
  readonly conditions: readonly DescribedCondition[];
}

/** Tones in words, for filters and for screen readers. */
export const toneWords: Readonly<Record<Tone, string>> = {
  bad: "failing",
  busy: "in progress",
  good: "ready",
  none: "without a status",
};

/** The fields of the status of any object that tell how it stands. */
interface Status {
  readonly phase?: unknown;
  readonly observedGeneration?: unknown;
  readonly replicas?: unknown;
  readonly readyReplicas?: unknown;
  readonly numberReady?: unknown;
  readonly desiredNumberScheduled?: unknown;
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
  const conditions = describeConditions(object);
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

/** Returns the objects of a list: a recording by somebody else may have anything in its place. */
function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** A condition in words; its type is left out where the reason tells more. */
function wordsOf({ type, status, reason, message }: DescribedCondition): string {
  const state = status === "True" ? type : `${type} is ${status}`;
  return [state, reason, message].filter((part) => part !== "").join(": ");
}
