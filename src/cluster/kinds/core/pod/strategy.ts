import { isEqual } from "@tsbuilder/apimachinery/json";
import { formatTime } from "@tsbuilder/apimachinery/time";
import {
  addLists,
  isSameList,
  onlyOf,
  type ResourceList,
  withoutZeros,
} from "../../../quota/resource-list.ts";
import type { Strategy } from "../../../registry/resource.ts";
import { resetStatusAlone, takeOver } from "../../../registry/default-strategy.ts";
import { alignFirst, eachOf, fillIn } from "../../fill-in.ts";
import { hostnameWarning } from "../../checks/hostname-warning.ts";
import { changeProblems } from "../pod-spec/change.ts";
import { defaultPodSpec } from "../pod-spec/defaults.ts";
import { sumOfRequests } from "../pod-spec/resources.ts";
import { isForPods } from "../resource-names.ts";
import { withOldGenerations } from "./observed-generation.ts";
import { statusProblems } from "./status-rules.ts";
import type { Container, Pod, PodSpec, ResourceRequirements } from "../pod-spec/types.ts";
import { newPodProblems, podProblems } from "../pod-spec/validate.ts";
import { podWarnings } from "../pod-spec/warnings.ts";

/** Pods are deleted gracefully, and almost nothing in their spec may change. */
export const podStrategy: Partial<Strategy> = {
  default(object) {
    const { spec } = object as Pod;
    if (!spec) return;
    defaultPodSpec(spec);
    spec.enableServiceLinks ??= true;
    if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
    for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
      requestLimits(container);
      if (!spec.hostNetwork) continue;
      for (const port of container.ports ?? []) if (port.containerPort) port.hostPort ||= port.containerPort;
    }
    const { status = {} } = object as Pod;
    alignFirst(status, "podIP", "podIPs", "ip");
    for (const list of ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"]) {
      for (const container of eachOf(status, list)) fillIn(container, () => ({ state: {}, lastState: {} }));
    }
    if (spec.resources) requestForAll(spec.resources, spec.containers ?? []);
  },
  prepareForCreate(object, { now }) {
    const pod = object as Pod;
    pod.status = { phase: "Pending", qosClass: qosClass(pod.spec) };
    if (pod.spec.schedulingGates?.length) pod.status.conditions = [blocked(now)];
  },
  /** Binding to a node does not increment the generation. */
  specChanged: (object, old, subresource) =>
    subresource !== "binding" && !isEqual((object as Pod).spec, (old as Pod).spec),
  resetFields(object, old, subresource) {
    if (subresource === "binding") return;
    resetStatusAlone(object, old, subresource);
    if (subresource === "status") takeOver(object.metadata, old!.metadata, "ownerReferences");
  },
  prepareForUpdate(object, old, { subresource }) {
    if (subresource === "binding") delete (object as Pod).status?.nominatedNodeName;
    if (subresource !== "status") return;
    const [pod, { status: before = {} }] = [object as Pod, old as Pod];
    pod.status = withOldGenerations({ ...pod.status }, before);
    pod.status.qosClass ||= before.qosClass!;
  },
  validate: (object) => [...newPodProblems(object as Pod)],
  validateUpdate(object, old, { subresource }) {
    if (subresource === "status") return [...statusProblems(object as Pod, old as Pod)];
    if (subresource !== "") return [];
    return [...podProblems(object as Pod), ...changeProblems(object as Pod, old as Pod)];
  },
  *warnings(object, old) {
    if (old) return;
    yield* hostnameWarning(object, "the Pod's hostname");
    yield* podWarnings("", (object as Pod).spec, object.metadata.annotations);
  },
  gracePeriod(object, requested) {
    const { spec, status } = object as Pod;
    if (!spec.nodeName || status?.phase === "Succeeded" || status?.phase === "Failed") return 0;
    return Math.max(0, requested ?? spec.terminationGracePeriodSeconds!);
  },
};

/** Requests default to limits. */
function requestLimits({ resources }: Container): void {
  if (!resources?.limits) return;
  resources.requests = { ...resources.limits, ...resources.requests };
}

/** Requests of the pod default to the sum of its containers' requests, or else to its limits. */
function requestForAll(resources: ResourceRequirements, containers: readonly Container[]): void {
  if (!resources.limits) return;
  const limits = Object.fromEntries(Object.entries(resources.limits).filter(([name]) => isForPods(name)));
  const names = new Set(containers.flatMap((each) => Object.keys(each.resources?.requests ?? {})));
  const shared = [...names].filter((name) => name === "cpu" || name === "memory");
  const sums = shared.map((name) => [name, sumOfRequests(containers, name)]);
  resources.requests = { ...limits, ...Object.fromEntries(sums), ...resources.requests };
}

/** The condition of a pod with scheduling gates. */
function blocked(now: number): object {
  return {
    type: "PodScheduled",
    status: "False",
    reason: "SchedulingGated",
    message: "Scheduling is blocked due to non-empty scheduling gates",
    lastProbeTime: null,
    lastTransitionTime: formatTime(now),
  };
}

/**
 * The QoS class: Guaranteed if all requests equal their limits, Burstable if there are some, else BestEffort. Amounts of
 * zero don't count. Where the pod has resources of its own, those of its containers don't count either.
 */
function qosClass({ resources, containers = [], initContainers = [] }: PodSpec): string {
  const all = resources
    ? [resources]
    : [...containers, ...initContainers].map((each) => each.resources ?? {});
  const [requests, limits] = [all.map((each) => each.requests), all.map((each) => each.limits)].map((lists) =>
    lists.map(computeAmounts).reduce(addLists, {}),
  ) as [ResourceList, ResourceList];
  if (Object.keys({ ...requests, ...limits }).length === 0) return "BestEffort";
  const isLimited = all.every((each) => Object.keys(computeAmounts(each.limits)).length === 2);
  return isLimited && isSameList(requests, limits) ? "Guaranteed" : "Burstable";
}

/** The amounts of CPU and memory, if there are any. */
function computeAmounts(list: ResourceList = {}): ResourceList {
  return withoutZeros(onlyOf(list, ["cpu", "memory"]));
}
