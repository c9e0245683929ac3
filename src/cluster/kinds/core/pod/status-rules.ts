import type { ContainerStatus } from "@tsbuilder/apimachinery/k8s/core/v1";
import {
  duplicate,
  forbidden,
  invalid,
  invalidStruct,
  notSupported,
  required,
} from "@tsbuilder/apimachinery/errors";
import { checkQualifiedName, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import type { Sent } from "../../../contract/sent.ts";
import { checkAddress, familyOf } from "../../checks/addresses.ts";
import { immutable, type Problems, refused } from "../../checks/problems.ts";
import type { Container, Pod, PodSpec } from "../pod-spec/types.ts";

type Status = NonNullable<Pod["status"]>;
type State = Sent<ContainerStatus>;

/** Validates a change of a pod's status: what has ended stays so, and addresses are addresses. */
export function* statusProblems({ spec, status: now = {} }: Pod, { status: before = {} }: Pod): Problems {
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

/** Says which containers are started again after they have ended: by their rules, their policy, or that of the pod. */
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

/** The health of what a container asked for. */
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
        if (!healths.includes(health)) yield notSupported(`${device}.health`, health, healths);
        if (message === "") yield required(`${device}.message`, "must be non-empty if specified");
        if (seen.has(resourceID)) yield duplicate(`${device}.resourceID`, resourceID);
        seen.add(resourceID);
      }
    }
  }
}
