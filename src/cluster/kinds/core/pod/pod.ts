import type * as core from "@tsbuilder/apimachinery/k8s/core/v1";
import { copyJSON, isEqual } from "@tsbuilder/apimachinery/json";
import { formatTime } from "@tsbuilder/apimachinery/time";
import {
  duplicate,
  forbidden,
  invalid,
  invalidStruct,
  required,
  tooLong,
} from "@tsbuilder/apimachinery/errors";
import { checkLabel, checkQualifiedName, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import { fieldText } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import type { Container, Pod, PodSpec } from "../pod-spec/types.ts";
import type { ResourceList } from "../../../quota/resource-list.ts";
import { addLists, isSameList, onlyOf, withoutZeros } from "../../../quota/resource-list.ts";
import { resetStatusAlone, takeOver } from "../../../registry/default-strategy.ts";
import { alignFirst, keepAbsent } from "../../fill-in.ts";
import { servesSince } from "../../../contract/version.ts";
import { hostnameWarning } from "../../checks/names.ts";
import { defaultPodSpec } from "../pod-spec/defaults.ts";
import { arePodResourcesCompleted, defaultPodResources } from "../resources.ts";
import {
  adoptAppArmorAnnotations,
  annotationMatchProblems,
  podAnnotationChanges,
  podProblems,
} from "../pod-spec/validate.ts";
import { podWarnings } from "../pod-spec/warnings.ts";
import type { Sent } from "../../../contract/api-object.ts";
import { checkAddress, familyOf } from "../../checks/addresses.ts";
import {
  type Problems,
  checked,
  immutable,
  inRange,
  itemsOf,
  needed,
  optionalChoice,
  unique,
} from "../../checks/problems.ts";
import { toGoStruct } from "../../checks/go-struct.ts";
import { imageSpaceProblems } from "../pod-spec/containers.ts";
import { mergeLabelKeys } from "../pod-spec/scheduling.ts";
import { largestID } from "../pod-spec/security.ts";
import { podCells, podRowConditions } from "./pod-cells.ts";
import { ephemeralContainerChanges, resetPodPart, resizeProblems } from "./pod-subresources.ts";

export const pod: BuiltInKind = {
  resource: "pods",
  metadataChecks: { update: ["update", "new"] },
  /** Pods are deleted gracefully, and almost nothing in their spec may change. */
  strategy: {
    statusWritesMetadata: true,
    returnsDeleted: true,
    default(object) {
      const { spec } = object as Pod;
      if (!spec) return;
      defaultPodSpec(spec);
      spec.enableServiceLinks ??= true;
      if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
      for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
        defaultRequests(container);
        if (!spec.hostNetwork) continue;
        for (const port of container.ports ?? [])
          if (port.containerPort) port.hostPort ||= port.containerPort;
      }
      const { status = {} } = object as Pod;
      alignFirst(status, "podIP", "podIPs", "ip");
      if (!arePodResourcesCompleted()) defaultPodResources(spec);
    },
    prepareForCreate(object, { now }) {
      const pod = object as Pod;
      if (arePodResourcesCompleted()) defaultPodResources(pod.spec);
      pod.status = { phase: "Pending", qosClass: qosClass(pod.spec) };
      adoptAppArmorAnnotations(pod);
      mergeLabelKeys(pod.spec, pod.metadata.labels ?? {});
      if (pod.spec.schedulingGates?.length) pod.status.conditions = [gatedCondition(now)];
    },
    /** Binding to a node does not increment the generation. */
    specChanged: (object, old, subresource) =>
      subresource !== "binding" && !isEqual((object as Pod).spec, (old as Pod).spec),
    resetFields(object, old, subresource) {
      if (subresource === "binding") return;
      if (subresource === "resize" || subresource === "ephemeralcontainers")
        return resetPodPart(object as Pod, old as Pod, subresource);
      resetStatusAlone(object, old, subresource);
      if (subresource === "status") takeOver(object.metadata, old!.metadata, "ownerReferences");
    },
    prepareForUpdate(object, old, { subresource }) {
      const [pod, { spec, status: before = {} }] = [object as Pod, old as Pod];
      if (subresource === "binding") delete pod.status?.nominatedNodeName;
      if ((subresource === "" || subresource === "resize") && arePodResourcesCompleted()) {
        keepAbsent(pod.spec, spec, "resources");
        if (subresource === "resize") defaultPodResources(pod.spec);
      }
      if (subresource !== "status") return;
      pod.status = withOldGenerations({ ...pod.status }, before);
      if (servesSince("1.37")) keepAbsent(pod.status, before, ...statusesOfClaims);
      pod.status.qosClass ||= before.qosClass!;
    },
    validate: (object) => [...newPodProblems(object as Pod)],
    validateUpdate(object, old, { subresource }) {
      const [pod, before] = [object as Pod, old as Pod];
      switch (subresource) {
        case "":
          return [...podProblems(pod), ...podAnnotationChanges(pod, before), ...changeProblems(pod, before)];
        case "status":
          return [...podAnnotationChanges(pod, before), ...statusProblems(pod, before)];
        case "resize": {
          const oldClass = before.status?.qosClass || qosClass(before.spec);
          return [...resizeProblems(pod, before, oldClass === qosClass(pod.spec))];
        }
        case "ephemeralcontainers":
          return [...ephemeralContainerChanges(pod, before)];
        default:
          return [];
      }
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
  },
  cells: podCells,
  rowConditions: podRowConditions,
  selectors: {
    "spec.hostNetwork": (object) => fieldText(object, "spec.hostNetwork") || "false",
    "status.podIPs": (object) => {
      const status = object["status"] as { podIPs?: core.PodIP[] } | undefined;
      return (status?.podIPs ?? []).map(({ ip }) => ip).join(",");
    },
  },
};

const statusesOfClaims = [
  "resourceClaimStatuses",
  "extendedResourceClaimStatus",
  "nodeAllocatableResourceClaimStatuses",
] as const;

function* newPodProblems(pod: Pod): Problems {
  yield* podProblems(pod);
  yield* annotationMatchProblems("spec", pod.metadata.annotations, pod.spec, true);
  const { ephemeralContainers: ephemeral, nodeName, schedulingGates } = pod.spec;
  if (ephemeral?.length) yield forbidden("spec.ephemeralContainers", "cannot be set on create");
  if (nodeName && schedulingGates?.length)
    yield forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared");
}

/** Almost nothing in a pod's spec may change; any other change is the last error. */
function* changeProblems({ spec }: Pod, { spec: old }: Pod): Problems {
  for (const list of ["containers", "initContainers"] as const) {
    const [now = [], before = []] = [spec[list], old[list]];
    if (now.length !== before.length)
      return yield forbidden(`spec.${list}`, "pod updates may not add or remove containers");
    for (const [at, container] of itemsOf(`spec.${list}`, now)) {
      if (!container.image) yield required(`${at}.image`);
      yield* imageSpaceProblems(at, container);
    }
  }
  const wrong = [...deadlineProblems(spec.activeDeadlineSeconds, old.activeDeadlineSeconds)];
  yield* wrong;
  if (wrong.length > 0 && spec.activeDeadlineSeconds !== undefined) return;
  yield* tolerationChanges(spec, old);
  yield* gateChanges(spec, old);
  yield* nodeSelectorChanges(spec, old);
  yield* nodeAffinityChanges(spec, old);
  if (isEqual(withOldMutableFields(spec, old), old)) return;
  const fields = [
    "`spec.containers[*].image`",
    "`spec.initContainers[*].image`",
    "`spec.activeDeadlineSeconds`",
    "`spec.tolerations` (only additions to existing tolerations)",
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
  ];
  yield forbidden("spec", `pod updates may not change fields other than ${fields.join(",")}`);
}

function* deadlineProblems(now: number | undefined, before: number | undefined): Problems {
  const field = "spec.activeDeadlineSeconds";
  const highest = 2 ** 31 - 1;
  if (now === undefined) {
    if (before === undefined) return;
    yield invalid(field, null, "must not update from a positive integer to nil value");
  } else if (now < 0 || now > highest) {
    yield invalid(field, now, `must be between 0 and ${highest}, inclusive`);
  } else if (before !== undefined && before < now) {
    yield invalid(field, now, "must be less than or equal to previous value");
  }
}

function* tolerationChanges({ tolerations = [] }: PodSpec, old: PodSpec): Problems {
  for (const before of old.tolerations ?? []) {
    const kept = tolerations.some((toleration) => {
      const { tolerationSeconds: _now, ...now } = toleration;
      const { tolerationSeconds: _before, ...then } = before;
      return isEqual(now, then);
    });
    if (kept) continue;
    const detail = "existing toleration can not be modified except its tolerationSeconds";
    return yield forbidden("spec.tolerations", detail);
  }
}

function* gateChanges({ schedulingGates }: PodSpec, old: PodSpec): Problems {
  for (const [at, { name = "" }] of itemsOf("spec.schedulingGates", schedulingGates)) {
    if (old.schedulingGates?.some((gate) => gate.name === name)) continue;
    const detail = `only deletion is allowed, but found new scheduling gate '${name}'`;
    yield forbidden(`${at}.name`, detail);
  }
}

/** While a pod is gated, its node selector may only be extended. */
function* nodeSelectorChanges({ nodeSelector }: PodSpec, old: PodSpec): Problems {
  if (!old.schedulingGates?.length) return;
  if (Object.entries(old.nodeSelector ?? {}).every(([key, value]) => nodeSelector?.[key] === value)) return;
  const detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
  yield invalid("spec.nodeSelector", nodeSelector ?? null, detail);
}

/** While a pod is gated, terms of its required node affinity may only get further requirements. */
function* nodeAffinityChanges({ affinity }: PodSpec, old: PodSpec): Problems {
  const wanted = "requiredDuringSchedulingIgnoredDuringExecution";
  const { nodeSelectorTerms: before = [] } = old.affinity?.nodeAffinity?.[wanted] ?? {};
  if (!old.schedulingGates?.length || before.length === 0) return;
  const { nodeSelectorTerms: now = [] } = affinity?.nodeAffinity?.[wanted] ?? {};
  if (isEqual(now, before)) return;
  const field = `spec.affinity.nodeAffinity.${wanted}.nodeSelectorTerms`;
  if (now.length !== before.length) {
    const detail = "no additions/deletions to non-empty NodeSelectorTerms list are allowed";
    return yield now.length > 0
      ? invalidStruct(field, now.map(termStruct), detail)
      : invalid(field, null, detail);
  }
  for (const [at, term, index] of itemsOf(field, now)) {
    const begins = (["matchExpressions", "matchFields"] as const).map((list) => {
      const { length } = before[index]![list] ?? [];
      return { length, isKept: isEqual(term[list]?.slice(0, length) ?? [], before[index]![list] ?? []) };
    });
    const wasEmpty = begins.every(({ length }) => length === 0);
    const isEmpty = !term.matchExpressions?.length && !term.matchFields?.length;
    if (wasEmpty ? isEmpty : begins.every(({ length, isKept }) => length === 0 || isKept)) continue;
    yield invalidStruct(at, termStruct(term), "only additions are allowed (no mutations or deletions)");
  }
}

function termStruct(term: object): object {
  return toGoStruct(term, "core/v1.NodeSelectorTerm");
}

/** The new spec with all mutable fields set back to their old values. */
function withOldMutableFields(spec: PodSpec, old: PodSpec): PodSpec {
  const result = copyJSON(spec);
  for (const list of ["containers", "initContainers"] as const) {
    for (const [index, container] of (result[list] ?? []).entries()) {
      const before = old[list]?.[index]?.image;
      if (before !== undefined) container.image = before;
    }
  }
  const isGated = (old.schedulingGates ?? []).length > 0;
  const { terminationGracePeriodSeconds: period = 0 } = old;
  const repaired = period < 0 && spec.terminationGracePeriodSeconds === 1;
  const changeable = [
    "activeDeadlineSeconds",
    "tolerations",
    "schedulingGates",
    ...(repaired ? (["terminationGracePeriodSeconds"] as const) : []),
    ...(isGated ? (["nodeSelector"] as const) : []),
  ] as const;
  for (const field of changeable) {
    if (old[field] === undefined) delete result[field];
    else Object.assign(result, { [field]: old[field] });
  }
  if (isGated && !isEqual(result.affinity?.nodeAffinity ?? null, old.affinity?.nodeAffinity ?? null)) {
    const { nodeAffinity: _, ...affinity } = result.affinity ?? {};
    const { nodeAffinity } = old.affinity ?? {};
    if (!old.affinity && Object.keys(affinity).length === 0) delete result.affinity;
    else result.affinity = { ...affinity, ...(nodeAffinity && { nodeAffinity }) };
  }
  return result;
}

/** Validates a change of a pod's status: ended containers don't start again, and addresses are valid. */
function* statusProblems({ spec, status: now = {} }: Pod, { status: before = {} }: Pod): Problems {
  yield* conditionProblems(now);
  yield* nominatedNodeProblems(spec, now, before);
  yield* generationProblems("status", now);
  yield* immutable("status.qosClass", now.qosClass, before.qosClass);
  const { containers = [], initContainers = [] } = spec;
  const lists = [
    ["containerStatuses", containers],
    ["initContainerStatuses", initContainers],
  ] as const;
  if (![...containers, ...initContainers].some(restartsAll)) {
    for (const [name, list] of lists)
      yield* transitionProblems(`status.${name}`, now[name], before[name], restartCheck(spec, list));
  }
  const { ephemeralContainerStatuses: debugging } = now;
  const ephemeral = "status.ephemeralContainerStatuses";
  yield* transitionProblems(ephemeral, debugging, before.ephemeralContainerStatuses, () => false);
  yield* claimStatusProblems(spec, now);
  yield* extendedClaimProblems(spec, now.extendedResourceClaimStatus);
  yield* nodeClaimProblems(spec, now);
  yield* addressProblems("status.podIPs", now.podIPs, before.podIPs);
  if (now.hostIPs?.length) {
    const [first] = now.hostIPs;
    if ((now.hostIP ?? "") !== (first?.ip ?? ""))
      yield invalid("status.hostIPs[0].ip", first?.ip ?? "", "must be equal to `hostIP`");
    yield* addressProblems("status.hostIPs", now.hostIPs, before.hostIPs);
  }
  for (const name of ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"] as const)
    yield* userProblems(`status.${name}`, now[name], spec);
  for (const [name, list] of lists) yield* allocatedResourceProblems(`status.${name}`, now[name], list);
  for (const [at, { allocatedResourcesStatus: devices }] of itemsOf(ephemeral, debugging)) {
    if (!devices?.length) continue;
    yield forbidden(`${at}.allocatedResourcesStatus`, "must not be specified in container status");
  }
}

type Status = NonNullable<Pod["status"]>;

function* conditionProblems({ conditions: all }: Status): Problems {
  for (const [at, condition] of itemsOf("status.conditions", all)) {
    const { type = "" } = condition;
    yield* generationProblems(at, condition);
    if (["PodScheduled", "Ready", "Initialized"].includes(type)) continue;
    // The server names the field of its Go struct.
    yield* checked(`${at}.Type`, type, checkQualifiedName);
  }
}

interface Observed {
  observedGeneration?: number | undefined;
}

function* generationProblems(field: string, { observedGeneration = 0 }: Observed): Problems {
  if (observedGeneration >= 0) return;
  yield invalid(`${field}.observedGeneration`, observedGeneration, "must be a non-negative integer");
}

function* nominatedNodeProblems({ nodeName = "" }: PodSpec, now: Status, before: Status): Problems {
  const { nominatedNodeName: name = "" } = now;
  if (name === "" || name === (before.nominatedNodeName ?? "")) return;
  const field = "status.nominatedNodeName";
  yield* checked(field, name, checkSubdomain);
  if (nodeName !== "") yield forbidden(field, "may not be set on pods that are already bound to a node");
}

function restartsAll({ restartPolicyRules = [] }: Container): boolean {
  return restartPolicyRules.some(({ action }) => action === "RestartAllContainers");
}

type RestartCheck = (name: string, exitCode: number) => boolean;

/** Returns true if the kubelet restarts a terminated container, by its own rules or policy, or by the policy of the pod. */
function restartCheck(
  { restartPolicy: ofPod = "Always" }: PodSpec,
  containers: readonly Container[],
): RestartCheck {
  return (name, exitCode) => {
    const container = containers.find((each) => each.name === name);
    if (!container) return false;
    const { restartPolicy = ofPod, restartPolicyRules: rules = [] } = container;
    const rule =
      container.restartPolicy === undefined
        ? undefined
        : rules.find((each) => matchesExitCode(each, exitCode));
    if (rule?.action === "Restart" || restartPolicy === "Always") return true;
    return restartPolicy === "OnFailure" && exitCode !== 0;
  };
}

function matchesExitCode(
  { exitCodes }: NonNullable<Container["restartPolicyRules"]>[number],
  exitCode: number,
): boolean {
  const isListed = exitCodes?.values?.includes(exitCode) ?? false;
  return exitCodes?.operator === "In" ? isListed : exitCodes?.operator === "NotIn" && !isListed;
}

type ContainerStatus = Sent<core.ContainerStatus>;

function* transitionProblems(
  field: string,
  now: readonly ContainerStatus[] = [],
  before: readonly ContainerStatus[] | undefined,
  restarts: RestartCheck,
): Problems {
  for (const [at, { name = "", state }] of itemsOf(field, before)) {
    const next = state?.terminated && now.find((each) => (each.name ?? "") === name);
    if (!next || next.state?.terminated || restarts(name, state.terminated?.exitCode ?? 0)) continue;
    yield forbidden(`${at}.state`, "may not be transitioned to non-terminated state");
  }
}

function* claimStatusProblems({ resourceClaims = [] }: PodSpec, { resourceClaimStatuses }: Status): Problems {
  const uniqueName = unique();
  const list = itemsOf("status.resourceClaimStatuses", resourceClaimStatuses);
  for (const [at, { name = "", resourceClaimName }] of list) {
    if (!resourceClaims.some((claim) => (claim.name ?? "") === name))
      yield invalid(`${at}.name`, name, "must match the name of an entry in `spec.resourceClaims`");
    yield* uniqueName(`${at}.name`, name);
    yield* checked(`${at}.resourceClaimName`, resourceClaimName, checkSubdomain);
  }
}

/** Validates which extended resources of which containers a generated claim stands for. */
function* extendedClaimProblems(spec: PodSpec, claim: Status["extendedResourceClaimStatus"]): Problems {
  if (!claim) return;
  const field = "status.extendedResourceClaimStatus";
  const { requestMappings = [], resourceClaimName } = claim;
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  if (requestMappings.length === 0)
    yield required(`${field}.requestMappings`, "at least one request mapping is required");
  const seen: object[] = [];
  for (const [at, mapping] of itemsOf(`${field}.requestMappings`, requestMappings)) {
    const { containerName = "", resourceName = "", requestName = "" } = mapping;
    const container = containers.findLast(({ name }) => name === containerName);
    if (!container) {
      const where = "spec.initContainers.name or spec.containers.name";
      yield invalid(`${at}.containerName`, containerName, `must match the name of an entry in ${where}`);
    } else if (container.resources?.requests?.[resourceName] === undefined) {
      const where = "spec.initContainers.resources.requests or spec.containers.resources.requests";
      const detail = `must match the extended resource name of an entry in ${where}`;
      yield invalid(`${at}.resourceName`, resourceName, detail);
    }
    // The server names the status here, not the mapping.
    yield* checked(`${field}.requestName`, requestName, checkLabel);
    const names = { containerName, resourceName, requestName };
    if (seen.some((each) => isEqual(each, names)))
      for (const [name, value] of Object.entries(names)) yield duplicate(`${at}.${name}`, value);
    seen.push(names);
  }
  yield* needed(`${field}.resourceClaimName`, resourceClaimName, checkSubdomain);
}

/** Validates that a pod refers to the claims from which its node's own resources are allocated. */
function* nodeClaimProblems({ resourceClaims = [] }: PodSpec, status: Status): Problems {
  const known = [...resourceClaims, ...(status.resourceClaimStatuses ?? [])];
  const list = itemsOf(
    "status.nodeAllocatableResourceClaimStatuses",
    status.nodeAllocatableResourceClaimStatuses,
  );
  for (const [at, { resourceClaimName: name }] of list) {
    if (!name || known.some(({ resourceClaimName }) => resourceClaimName === name)) continue;
    yield invalid(`${at}.resourceClaimName`, name, "no mapping found in pod reference");
  }
}

/** Validates the user that a container runs as. */
function* userProblems(
  field: string,
  states: readonly ContainerStatus[] | undefined,
  { os }: PodSpec,
): Problems {
  for (const [state, { user }] of itemsOf(field, states)) {
    if (!user?.linux) continue;
    const at = `${state}.user.linux`;
    if (os?.name === "windows") yield forbidden(at, "cannot be set for a windows pod");
    else if ((os?.name ?? "linux") === "linux") {
      yield* inRange(`${at}.uid`, user.linux.uid, 0, servesSince("1.37") ? 2 ** 32 - 1 : largestID);
      yield* inRange(`${at}.gid`, user.linux.gid, 0, largestID);
      for (const [each, group] of itemsOf(`${at}.supplementalGroups`, user.linux.supplementalGroups))
        yield* inRange(each, group, 0, largestID);
    }
  }
}

/** New addresses must be valid, and of two families if there are two. */
function* addressProblems(
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
function* allocatedResourceProblems(
  field: string,
  states: readonly ContainerStatus[] | undefined,
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
        if ((message?.length ?? 0) > 1024) yield tooLong(`${device}.message`, 1024);
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
    return withObservedGeneration(condition, old);
  });
  return { ...withObservedGeneration(status, before), ...(conditions && { conditions }) };
}

function withObservedGeneration<T extends Observed>(now: T, before: Observed | undefined): T {
  const observedGeneration = now.observedGeneration || before?.observedGeneration;
  return observedGeneration ? { ...now, observedGeneration } : now;
}

/** Requests default to limits. */
function defaultRequests({ resources }: Container): void {
  if (!resources?.limits) return;
  resources.requests = { ...resources.limits, ...resources.requests };
}

function gatedCondition(now: number): object {
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

function computeAmounts(list: ResourceList = {}): ResourceList {
  return withoutZeros(onlyOf(list, ["cpu", "memory"]));
}
