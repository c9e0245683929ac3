import type { ContainerStatus, PodIP } from "@tsbuilder/apimachinery/k8s/core/v1";
import { isEqual } from "@tsbuilder/apimachinery/json";
import { formatTime } from "@tsbuilder/apimachinery/time";
import { duplicate, forbidden, invalid, invalidStruct, required } from "@tsbuilder/apimachinery/errors";
import { checkQualifiedName, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import { type Strategy, fieldText } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import {
  type Container,
  type Pod,
  type PodSpec,
  type ResourceRequirements,
  podSpec,
} from "../pod-spec/types.ts";
import { podCells, podRowConditions } from "./cells.ts";
import {
  type ResourceList,
  addLists,
  isSameList,
  onlyOf,
  withoutZeros,
} from "../../../quota/resource-list.ts";
import { resetStatusAlone, takeOver } from "../../../registry/default-strategy.ts";
import { alignFirst, eachOf, fillIn } from "../../fill-in.ts";
import { hostnameWarning } from "../../checks/names.ts";
import { changeProblems } from "./change.ts";
import { defaultPodSpec } from "../pod-spec/defaults.ts";
import { sumOfRequests } from "../pod-spec/resources.ts";
import { isForPods } from "../resource-names.ts";
import { newPodProblems, podProblems } from "../pod-spec/validate.ts";
import { podWarnings } from "../pod-spec/warnings.ts";
import type { Sent } from "../../../contract/sent.ts";
import { checkAddress, familyOf } from "../../checks/addresses.ts";
import { type Problems, immutable, refused, optionalChoice } from "../../checks/problems.ts";

/** Pods are deleted gracefully, and almost nothing in their spec may change. */
const podStrategy: Partial<Strategy> = {
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

type Status = NonNullable<Pod["status"]>;

type State = Sent<ContainerStatus>;

/** Validates a change of a pod's status: ended containers don't start again, and addresses are valid. */
function* statusProblems({ spec, status: now = {} }: Pod, { status: before = {} }: Pod): Problems {
  yield* conditions(now);
  yield* nominatedNode(spec, now, before);
  if ((now.observedGeneration ?? 0) < 0) {
    yield invalid("status.observedGeneration", now.observedGeneration, "must be a non-negative integer");
  }
  yield* immutable("status.qosClass", now.qosClass, before.qosClass);
  const { containers = [], initContainers = [] } = spec;
  if (![...containers, ...initContainers].some(restartsAll)) {
    const field = "status.containerStatuses";
    yield* transitions(field, now.containerStatuses, before.containerStatuses, restartsIn(spec, containers));
    const initField = "status.initContainerStatuses";
    const restarts = restartsIn(spec, initContainers);
    yield* transitions(initField, now.initContainerStatuses, before.initContainerStatuses, restarts);
  }
  const { ephemeralContainerStatuses: debugging } = now;
  const ephemeral = "status.ephemeralContainerStatuses";
  yield* transitions(ephemeral, debugging, before.ephemeralContainerStatuses, () => false);
  yield* claims(spec, now);
  yield* addresses("status.podIPs", now.podIPs, before.podIPs);
  if (now.hostIPs?.length) {
    const [first] = now.hostIPs;
    if ((now.hostIP ?? "") !== (first?.ip ?? ""))
      yield invalid("status.hostIPs[0].ip", first?.ip ?? "", "must be equal to `hostIP`");
    yield* addresses("status.hostIPs", now.hostIPs, before.hostIPs);
  }
  yield* allocated("status.containerStatuses", now.containerStatuses, containers);
  yield* allocated("status.initContainerStatuses", now.initContainerStatuses, initContainers);
  for (const [index, { allocatedResourcesStatus = [] }] of (debugging ?? []).entries()) {
    if (allocatedResourcesStatus.length === 0) continue;
    const detail = "must not be specified in container status";
    yield forbidden(`${ephemeral}[${index}].allocatedResourcesStatus`, detail);
  }
}

const systemConditions = ["PodScheduled", "Ready", "Initialized"];

function* conditions({ conditions: all = [] }: Status): Problems {
  for (const [index, { type = "", observedGeneration = 0 }] of all.entries()) {
    const at = `status.conditions[${index}]`;
    if (observedGeneration < 0)
      yield invalid(`${at}.observedGeneration`, observedGeneration, "must be a non-negative integer");
    // The server names the field of its Go struct.
    if (!systemConditions.includes(type)) yield* refused(`${at}.Type`, type, checkQualifiedName(type));
  }
}

function* nominatedNode({ nodeName = "" }: PodSpec, now: Status, before: Status): Problems {
  const { nominatedNodeName: name = "" } = now;
  if (name === "" || name === (before.nominatedNodeName ?? "")) return;
  const field = "status.nominatedNodeName";
  yield* refused(field, name, checkSubdomain(name));
  if (nodeName !== "") yield forbidden(field, "may not be set on pods that are already bound to a node");
}

function restartsAll({ restartPolicyRules = [] }: Container): boolean {
  return restartPolicyRules.some(({ action }) => action === "RestartAllContainers");
}

type Restarts = (name: string, exitCode: number) => boolean;

/** Returns true if the kubelet restarts a terminated container, by its own rules or policy, or by the policy of the pod. */
function restartsIn(
  { restartPolicy: ofPod = "Always" }: PodSpec,
  containers: readonly Container[],
): Restarts {
  return (name, exitCode) => {
    const container = containers.find((each) => each.name === name);
    if (!container) return false;
    const { restartPolicy = ofPod, restartPolicyRules: rules = [] } = container;
    const rule =
      container.restartPolicy === undefined ? undefined : rules.find((each) => hasCode(each, exitCode));
    if (rule?.action === "Restart" || restartPolicy === "Always") return true;
    return restartPolicy === "OnFailure" && exitCode !== 0;
  };
}

function hasCode(
  { exitCodes }: NonNullable<Container["restartPolicyRules"]>[number],
  exitCode: number,
): boolean {
  const isListed = exitCodes?.values?.includes(exitCode) ?? false;
  return exitCodes?.operator === "In" ? isListed : exitCodes?.operator === "NotIn" && !isListed;
}

function* transitions(
  field: string,
  now: readonly State[] = [],
  before: readonly State[] = [],
  restarts: Restarts,
): Problems {
  for (const [index, { name = "", state }] of before.entries()) {
    const next = state?.terminated && now.find((each) => (each.name ?? "") === name);
    if (!next || next.state?.terminated || restarts(name, state.terminated?.exitCode ?? 0)) continue;
    yield forbidden(`${field}[${index}].state`, "may not be transitioned to non-terminated state");
  }
}

function* claims({ resourceClaims = [] }: PodSpec, { resourceClaimStatuses = [] }: Status): Problems {
  const seen = new Set<string>();
  for (const [index, { name = "", resourceClaimName }] of resourceClaimStatuses.entries()) {
    const at = `status.resourceClaimStatuses[${index}]`;
    if (!resourceClaims.some((claim) => (claim.name ?? "") === name)) {
      yield invalid(`${at}.name`, name, "must match the name of an entry in `spec.resourceClaims`");
    }
    if (seen.has(name)) yield duplicate(`${at}.name`, name);
    seen.add(name);
    if (resourceClaimName === undefined) continue;
    yield* refused(`${at}.resourceClaimName`, resourceClaimName, checkSubdomain(resourceClaimName));
  }
}

/** New addresses must be valid, and of two families if there are two. */
function* addresses(
  field: string,
  now: readonly { ip?: string | undefined }[] = [],
  before: readonly { ip?: string | undefined }[] = [],
): Problems {
  const [all, old] = [now.map(({ ip = "" }) => ip), before.map(({ ip = "" }) => ip)];
  for (const [index, ip] of all.entries()) {
    if (!old.includes(ip)) yield* refused(`${field}[${index}]`, ip, checkAddress(ip));
  }
  if (all.length < 2) return;
  const families = new Set(all.map(familyOf));
  if (all.length > 2 || families.size < 2 || families.has(undefined))
    yield invalidStruct(
      field,
      all.map((IP) => ({ IP })),
      "may specify no more than one IP for each IP family",
    );
}

const healths = ["Healthy", "Unhealthy", "Unknown"];

/** Validates the health of the resources that a container has. */
function* allocated(
  field: string,
  states: readonly State[] = [],
  containers: readonly Container[],
): Problems {
  for (const [index, { name, allocatedResourcesStatus = [] }] of states.entries()) {
    const { resources } = containers.find((each) => each.name === name) ?? {};
    const claimed = (resources?.claims ?? []).map(({ name: claim = "", request }) =>
      request ? `claim:${claim}/${request}` : `claim:${claim}`,
    );
    const known = [...claimed, ...Object.keys(resources?.requests ?? {})];
    for (const [
      nth,
      { name: resource = "", resources: devices = [] },
    ] of allocatedResourcesStatus.entries()) {
      const at = `${field}[${index}].allocatedResourcesStatus[${nth}]`;
      if (resources && !known.includes(resource)) {
        const what = resource.startsWith("claim:")
          ? "resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty"
          : "resource requests";
        yield invalid(`${at}.name`, resource, `must match one of the container's ${what}`);
      }
      const seen = new Set<string>();
      for (const [each, { resourceID = "", health = "", message }] of devices.entries()) {
        const device = `${at}.resources[${each}]`;
        yield* optionalChoice(`${device}.health`, health, healths);
        if (message === "") yield required(`${device}.message`, "must be non-empty if specified");
        if (seen.has(resourceID)) yield duplicate(`${device}.resourceID`, resourceID);
        seen.add(resourceID);
      }
    }
  }
}

type PodStatus = NonNullable<Pod["status"]>;

/** A write of the status that omits an observedGeneration keeps the old one: of the pod, and of each condition. */
function withOldGenerations(status: PodStatus, before: PodStatus): PodStatus {
  const conditions = status.conditions?.map((condition, index, all) => {
    // Several conditions may have one type: they correspond in order.
    const nth = all.slice(0, index).filter(({ type }) => type === condition.type).length;
    const old = before.conditions?.filter(({ type }) => type === condition.type)[nth];
    return kept(condition, old);
  });
  return { ...kept(status, before), ...(conditions && { conditions }) };
}

interface Observed {
  observedGeneration?: number | undefined;
}

function kept<T extends Observed>(now: T, before: Observed | undefined): T {
  const observedGeneration = now.observedGeneration || before?.observedGeneration;
  return observedGeneration ? { ...now, observedGeneration } : now;
}

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

export const pod: BuiltInKind = {
  resource: "pods",
  metadataChecks: { update: ["update", "new"] },
  strategy: { ...podStrategy, statusWritesMetadata: true, returnsDeleted: true },
  cells: podCells,
  rowConditions: podRowConditions,
  selectors: {
    "spec.hostNetwork": (object) => fieldText(object, "spec.hostNetwork") || "false",
    "status.podIPs": (object) => {
      const status = object["status"] as { podIPs?: PodIP[] } | undefined;
      return (status?.podIPs ?? []).map(({ ip }) => ip).join(",");
    },
  },
  emptyObject: { spec: podSpec, status: {} },
};
