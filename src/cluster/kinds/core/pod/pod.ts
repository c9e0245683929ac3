import type { ContainerStatus, PodIP } from "@tsbuilder/apimachinery/k8s/core/v1";
import { isEqual } from "@tsbuilder/apimachinery/json";
import { formatTime } from "@tsbuilder/apimachinery/time";
import { forbidden, invalid, invalidStruct, required } from "@tsbuilder/apimachinery/errors";
import { checkQualifiedName, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import { fieldText } from "../../../registry/field-text.ts";
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
import type { Strategy } from "../../../registry/resource.ts";
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
import { type Problems, checked, immutable, itemsOf, optionalChoice, unique } from "../../checks/problems.ts";

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
  for (const [at, { allocatedResourcesStatus: devices }] of itemsOf(ephemeral, debugging)) {
    if (!devices?.length) continue;
    yield forbidden(`${at}.allocatedResourcesStatus`, "must not be specified in container status");
  }
}

const systemConditions = ["PodScheduled", "Ready", "Initialized"];

function* conditions({ conditions: all }: Status): Problems {
  for (const [at, { type = "", observedGeneration = 0 }] of itemsOf("status.conditions", all)) {
    if (observedGeneration < 0)
      yield invalid(`${at}.observedGeneration`, observedGeneration, "must be a non-negative integer");
    // The server names the field of its Go struct.
    if (!systemConditions.includes(type)) yield* checked(`${at}.Type`, type, checkQualifiedName);
  }
}

function* nominatedNode({ nodeName = "" }: PodSpec, now: Status, before: Status): Problems {
  const { nominatedNodeName: name = "" } = now;
  if (name === "" || name === (before.nominatedNodeName ?? "")) return;
  const field = "status.nominatedNodeName";
  yield* checked(field, name, checkSubdomain);
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
  before: readonly State[] | undefined,
  restarts: Restarts,
): Problems {
  for (const [at, { name = "", state }] of itemsOf(field, before)) {
    const next = state?.terminated && now.find((each) => (each.name ?? "") === name);
    if (!next || next.state?.terminated || restarts(name, state.terminated?.exitCode ?? 0)) continue;
    yield forbidden(`${at}.state`, "may not be transitioned to non-terminated state");
  }
}

function* claims({ resourceClaims = [] }: PodSpec, { resourceClaimStatuses }: Status): Problems {
  const uniqueName = unique();
  const list = itemsOf("status.resourceClaimStatuses", resourceClaimStatuses);
  for (const [at, { name = "", resourceClaimName }] of list) {
    if (!resourceClaims.some((claim) => (claim.name ?? "") === name)) {
      yield invalid(`${at}.name`, name, "must match the name of an entry in `spec.resourceClaims`");
    }
    yield* uniqueName(`${at}.name`, name);
    yield* checked(`${at}.resourceClaimName`, resourceClaimName, checkSubdomain);
  }
}

/** New addresses must be valid, and of two families if there are two. */
function* addresses(
  field: string,
  now: readonly { ip?: string | undefined }[] = [],
  before: readonly { ip?: string | undefined }[] = [],
): Problems {
  const [all, old] = [now.map(({ ip = "" }) => ip), before.map(({ ip = "" }) => ip)];
  for (const [at, ip] of itemsOf(field, all)) if (!old.includes(ip)) yield* checked(at, ip, checkAddress);
  if (all.length < 2) return;
  const families = new Set(all.map(familyOf));
  if (all.length > 2 || families.size < 2 || families.has(undefined))
    yield invalidStruct(
      field,
      all.map((IP) => ({ IP })),
      "may specify no more than one IP for each IP family",
    );
}

/** Validates the health of the resources that a container has. */
function* allocated(
  field: string,
  states: readonly State[] | undefined,
  containers: readonly Container[],
): Problems {
  for (const [state, { name, allocatedResourcesStatus }] of itemsOf(field, states)) {
    const { resources } = containers.find((each) => each.name === name) ?? {};
    const claimed = (resources?.claims ?? []).map(({ name: claim = "", request }) =>
      request ? `claim:${claim}/${request}` : `claim:${claim}`,
    );
    const known = [...claimed, ...Object.keys(resources?.requests ?? {})];
    const list = itemsOf(`${state}.allocatedResourcesStatus`, allocatedResourcesStatus);
    for (const [at, { name: resource = "", resources: devices }] of list) {
      if (resources && !known.includes(resource)) {
        const what = resource.startsWith("claim:")
          ? "resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty"
          : "resource requests";
        yield invalid(`${at}.name`, resource, `must match one of the container's ${what}`);
      }
      const uniqueDevice = unique();
      for (const [device, { resourceID = "", health, message }] of itemsOf(`${at}.resources`, devices)) {
        yield* optionalChoice(`${device}.health`, health ?? "", ["Healthy", "Unhealthy", "Unknown"]);
        if (message === "") yield required(`${device}.message`, "must be non-empty if specified");
        yield* uniqueDevice(`${device}.resourceID`, resourceID);
      }
    }
  }
}

/** A write of the status that omits an observedGeneration keeps the old one: of the pod, and of each condition. */
function withOldGenerations(status: Status, before: Status): Status {
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
