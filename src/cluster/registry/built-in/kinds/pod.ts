import { compareQuantities } from "@tsbuilder/apimachinery/quantity";
import { isEqual } from "@tsbuilder/apimachinery/patch";
import { type FieldError, forbidden } from "@tsbuilder/apimachinery/schema";
import { cloneJSON } from "../../../storage/api-object.ts";
import type { Strategy } from "../../resource.ts";
import { resetStatusAlone, takeOver } from "../default-strategy.ts";
import { defaultPodSpec } from "./default-pod-spec.ts";
import type { Container, Pod, PodSpec } from "./pod-types.ts";
import { validatePodSpec } from "./validate-pod-spec.ts";

/** Pods end gracefully, and almost nothing of their spec can change. */
export const podStrategy: Partial<Strategy> = {
  default(object) {
    const { spec } = object as Pod;
    if (!spec) return;
    defaultPodSpec(spec);
    spec.enableServiceLinks ??= true;
    for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])])
      requestLimits(container);
  },
  prepareForCreate(object) {
    const pod = object as Pod;
    tolerateNodeTrouble(pod.spec);
    pod.spec.priority ??= 0;
    pod.spec.preemptionPolicy ||= "PreemptLowerPriority";
    pod.status = { phase: "Pending", qosClass: qosClass(pod.spec) };
  },
  resetFields(object, old, subresource) {
    if (subresource === "binding") return;
    resetStatusAlone(object, old, subresource);
    if (subresource === "status") takeOver(object.metadata, old!.metadata, "ownerReferences");
  },
  prepareForUpdate(object, old, { subresource }) {
    const pod = object as Pod;
    if (subresource === "status") pod.status = { ...pod.status, qosClass: (old as Pod).status!.qosClass! };
  },
  validate: (object) => validatePodSpec((object as Pod).spec ?? {}, "spec"),
  validateUpdate(object, old, { subresource }) {
    return subresource === "" ? validateChange(object as Pod, old as Pod) : [];
  },
  gracePeriod(object, requested) {
    const { spec, status } = object as Pod;
    if (!spec.nodeName || status?.phase === "Succeeded" || status?.phase === "Failed") return 0;
    return Math.max(0, requested ?? spec.terminationGracePeriodSeconds ?? 30);
  },
};

/** What is limited and not requested is requested as it is limited. */
function requestLimits({ resources }: Container): void {
  if (!resources?.limits) return;
  resources.requests = { ...resources.limits, ...resources.requests };
}

/** A pod stays for five minutes on a node that is not well. */
function tolerateNodeTrouble(spec: PodSpec): void {
  spec.tolerations ??= [];
  for (const key of ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]) {
    const tolerated = spec.tolerations.some(
      (toleration) =>
        (toleration.key === key || (!toleration.key && toleration.operator === "Exists")) &&
        (!toleration.effect || toleration.effect === "NoExecute"),
    );
    if (!tolerated)
      spec.tolerations.push({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 });
  }
}

/** The class by which a node decides whom to evict: equal requests and limits everywhere, some, or none. */
function qosClass({ containers = [], initContainers = [] }: PodSpec): string {
  const all = [...containers, ...initContainers];
  const set = ({ resources }: Container) => ({ ...resources?.requests, ...resources?.limits });
  if (all.every((container) => !["cpu", "memory"].some((name) => name in set(container))))
    return "BestEffort";
  const guaranteed = all.every(({ resources }) =>
    ["cpu", "memory"].every((name) => {
      const limit = resources?.limits?.[name];
      const request = resources?.requests?.[name];
      return limit !== undefined && request !== undefined && compareQuantities(limit, request) === 0;
    }),
  );
  return guaranteed ? "Guaranteed" : "Burstable";
}

function validateChange(pod: Pod, old: Pod): FieldError[] {
  const allowed = cloneJSON(pod.spec);
  for (const list of ["containers", "initContainers"] as const) {
    for (const [index, container] of (allowed[list] ?? []).entries()) {
      const before = old.spec[list]?.[index]?.image;
      if (before !== undefined) container.image = before;
    }
  }
  for (const field of ["activeDeadlineSeconds", "tolerations"] as const) {
    if (old.spec[field] === undefined) delete allowed[field];
    else Object.assign(allowed, { [field]: old.spec[field] });
  }
  if (isEqual(allowed, old.spec)) return [];
  const fields =
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";
  return [forbidden("spec", fields)];
}
