// Describes the conditions of any object. Kubernetes has no marker for the polarity of a condition: its name tells.

import { isObject } from "../json/index.ts";
import type { KubernetesObject } from "./object.ts";

/** How something stands, from the worst: it failed, it is on its way, it is as it should be, or it does not say. */
export type Tone = "bad" | "busy" | "good" | "none";

/** The tones from the worst to the best. */
export const tones = ["bad", "busy", "good", "none"] as const satisfies readonly Tone[];

/** A condition of a status, with what its status means. */
export interface DescribedCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  /** Milliseconds since 1970; NaN if it is unknown. */
  readonly since: number;
  readonly tone: Tone;
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

/**
 * Reads the conditions of any object, also of a custom resource whose status has another form. A condition that lacks a
 * field has an empty text.
 */
export function describeConditions(object: KubernetesObject): DescribedCondition[] {
  const { apiVersion, kind, status: any } = object as KubernetesObject & { readonly status?: unknown };
  const conditions = isObject(any) ? any["conditions"] : undefined;
  if (!Array.isArray(conditions)) return [];
  const isNode = apiVersion === "v1" && kind === "Node";
  return conditions.filter(isObject).flatMap((condition): DescribedCondition[] => {
    if (typeof condition["type"] !== "string") return [];
    const { type } = condition;
    const status = text(condition["status"]);
    const reason = text(condition["reason"]);
    const message = text(condition["message"]);
    const since = Date.parse(text(condition["lastTransitionTime"]));
    // A Node reports that it isn't ready, or its kubelet reports nothing any more: nothing else says that it is down.
    const isLost = isNode && type === "Ready" && status !== "True";
    const tone = isLost ? "bad" : conditionTone(type, status, reason);
    return [{ type, status, reason, message, since, tone }];
  });
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
