import { copyJSON, isEqual } from "@tsbuilder/apimachinery/json";
import { forbidden, invalid } from "@tsbuilder/apimachinery/errors";
import { isFeatureOn, servesSince } from "../../../contract/version.ts";
import { resetBuiltInStatus } from "../../../registry/default-strategy.ts";
import { type Problems, itemsOf } from "../../checks/problems.ts";
import { isMirror } from "../../../contract/api-object.ts";
import { podProblems, podAnnotationChanges } from "../pod-spec/validate.ts";
import type { Container, Pod, ResourceRequirements } from "../pod-spec/types.ts";

// The subresources of a pod that change a part of its spec: `resize` the resources of containers and of the pod, and
// `ephemeralcontainers` the containers of `kubectl debug`.

/** Restores all that a write to one of these subresources can't change. */
export function resetPodPart(object: Pod, old: Pod, subresource: string): void {
  const { spec } = object;
  if (subresource === "resize" && !hasSameCounts(object, old)) return;
  resetBuiltInStatus(object, old, "status");
  const changed =
    subresource === "ephemeralcontainers"
      ? { ephemeralContainers: spec.ephemeralContainers }
      : {
          containers: resized(spec.containers, old.spec.containers),
          initContainers: resized(spec.initContainers, old.spec.initContainers),
          ...(isFeatureOn(podLevelGate) && { resources: spec.resources }),
        };
  // A field whose value is undefined is absent.
  Object.assign(object, copyJSON({ spec: { ...old.spec, ...changed }, status: old.status }));
}

const podLevelGate = "InPlacePodLevelResourcesVerticalScaling";
const lists = ["containers", "initContainers"] as const;

function hasSameCounts({ spec }: Pod, { spec: old }: Pod): boolean {
  return lists.every((list) => (spec[list]?.length ?? 0) === (old[list]?.length ?? 0));
}

/** The old containers with their new sizes. Other names are for the validation to find. */
function resized<T extends Container>(now: T[] | undefined, before: readonly T[] = []): T[] | undefined {
  if (!now?.every(({ name }, index) => name === before[index]?.name)) return now;
  return now.map(({ resources, resizePolicy }, index) => ({ ...before[index]!, resources, resizePolicy }));
}

/** Validates a resize: only cpu and memory change, and no amount is removed. `keepsClass`: the QoS class stays the same. */
export function* resizeProblems(pod: Pod, old: Pod, keepsClass: boolean): Problems {
  if (isMirror(old)) return yield forbidden("[]", "static pods cannot be resized");
  if (old.spec.os?.name === "windows") return yield forbidden("[]", "windows pods cannot be resized");
  yield* podProblems(pod);
  const { qosClass = "", containerStatuses, nodeAllocatableResourceClaimStatuses } = old.status ?? {};
  if (!keepsClass) yield invalid("spec", qosClass, "Pod QOS Class may not change as a result of resizing");
  const running = containerStatuses?.find(({ state }) => state?.running);
  if (running && !running.resources)
    yield forbidden("spec", "Pod running on node without support for resize");
  const [now, before] = [pod.spec.resources, old.spec.resources];
  if ([now, before].some((each) => each && Object.keys(withoutClaims(each)).length > 0)) {
    if (!isFeatureOn(podLevelGate)) {
      const detail = `resize of pods with pod-level resources is forbidden when ${podLevelGate}Enabled feature gate is disabled`;
      return yield forbidden("[]", detail);
    }
    yield* podLevelProblems(now, before);
  }
  if (nodeAllocatableResourceClaimStatuses?.length && !servesSince("1.37"))
    yield forbidden("spec", "pods with node allocatable resource claims cannot be resized");
  const order = [...orderProblems(pod, old)];
  yield* order;
  if (order.length > 0) return;
  for (const list of ["initContainers", "containers"] as const) {
    for (const [at, container, index] of itemsOf(`spec.${list}`, old.spec[list])) {
      if (list === "initContainers" && !canResize(container)) continue;
      const { resources } = pod.spec[list]![index]!;
      yield* removalProblems(`${at}.resources`, "resource", resources, container.resources);
    }
  }
  for (const list of lists) {
    for (const [at, container, index] of itemsOf(`spec.${list}`, pod.spec[list]))
      yield* containerProblems(at, list, container, old.spec[list]![index]!);
  }
}

function canResize({ restartPolicy }: Container): boolean {
  return restartPolicy === "Always" || isFeatureOn("InPlacePodVerticalScalingInitContainers");
}

function* podLevelProblems(
  now: ResourceRequirements | undefined,
  before: ResourceRequirements | undefined,
): Problems {
  if (before && !now) return yield forbidden("spec.resources", "pod-level resources cannot be removed");
  if (before) yield* removalProblems("spec.resources", "pod-level resource", now, before);
  const { claims } = now ?? {};
  const masked = { ...withOldAmounts(now, before), ...(claims?.length && { claims }) };
  const { claims: oldClaims } = before ?? {};
  if (isEqual(masked, { ...withoutClaims(before), ...(oldClaims?.length && { claims: oldClaims }) })) return;
  yield forbidden("spec", "only cpu and memory resources are mutable at pod-level");
}

function* removalProblems(
  field: string,
  what: string,
  now: ResourceRequirements | undefined,
  before: ResourceRequirements | undefined,
): Problems {
  for (const list of ["requests", "limits"] as const) {
    const names = Object.keys(before?.[list] ?? {});
    if (names.every((name) => now?.[list]?.[name] !== undefined)) continue;
    yield forbidden(`${field}.${list}`, `${what} ${list} cannot be removed`);
  }
}

/** Containers stay in their order, and keep their names. */
function* orderProblems({ spec }: Pod, { spec: old }: Pod): Problems {
  for (const list of lists) {
    const [now, before] = [spec[list] ?? [], old[list] ?? []];
    if (now.length !== before.length)
      yield forbidden(`spec.${list}`, `${list} may not be added or removed on resize`);
    else {
      for (const [at, { name }, index] of itemsOf(`spec.${list}`, now)) {
        if (name !== before[index]!.name)
          yield forbidden(`${at}.name`, `${list} may not be renamed or reordered on resize`);
      }
    }
  }
}

function* containerProblems(
  at: string,
  list: (typeof lists)[number],
  now: Container,
  before: Container,
): Problems {
  const wasChanged = !isEqual(normalized(now, now.resources), normalized(before, before.resources));
  if (list === "initContainers" && !canResize(now)) {
    if (wasChanged) yield forbidden("spec", "resources for non-sidecar init containers are immutable");
    return;
  }
  // As on the real server, claims count as a change of something else until 1.37.
  const { claims } = now.resources ?? {};
  const kept = servesSince("1.37") && claims?.length ? { claims } : {};
  const masked = { ...withOldAmounts(now.resources, before.resources), ...kept };
  if (!isEqual({ ...now, resources: masked }, normalized(before, before.resources))) {
    if (list === "containers") yield forbidden("spec", "only cpu and memory resources are mutable");
    else yield forbidden(at, "only cpu and memory resources for init or sidecar containers are mutable");
  }
  if (list === "containers" || !wasChanged || now.restartPolicy === "Always") return;
  for (const { restartPolicy } of now.resizePolicy ?? []) {
    if (restartPolicy !== "RestartContainer") continue;
    const what = "non-sidecar init containers with a resize policy of RestartContainer";
    yield forbidden(at, `${what} cannot be resized`);
  }
}

/** A container in which an empty list of amounts equals none. */
function normalized(container: Container, { claims, ...resources }: ResourceRequirements = {}): object {
  return { ...container, resources: { ...withoutClaims(resources), ...(claims?.length && { claims }) } };
}

/** Limits and requests, as far as there are some. */
function withoutClaims({ limits = {}, requests = {} }: ResourceRequirements = {}): ResourceRequirements {
  return {
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(Object.keys(requests).length > 0 && { requests }),
  };
}

/** The new amounts, but the old ones of cpu and memory. */
function withOldAmounts(
  now: ResourceRequirements = {},
  before: ResourceRequirements = {},
): ResourceRequirements {
  const masked = (["limits", "requests"] as const).map((list) => {
    const { cpu: _cpu, memory: _memory, ...others } = now[list] ?? {};
    const { cpu, memory } = before[list] ?? {};
    return [list, { ...others, ...(cpu !== undefined && { cpu }), ...(memory !== undefined && { memory }) }];
  });
  return withoutClaims(Object.fromEntries(masked) as ResourceRequirements);
}

/** Validates new containers of `kubectl debug`: those that are there stay as they are. */
export function* ephemeralContainerChanges(pod: Pod, old: Pod): Problems {
  if (isMirror(old)) return yield forbidden("[]", "static pods do not support ephemeral containers");
  yield* podProblems(pod);
  yield* podAnnotationChanges(pod, old);
  for (const before of old.spec.ephemeralContainers ?? []) {
    const now = pod.spec.ephemeralContainers?.findLast(({ name }) => name === before.name);
    if (isEqual(now ?? null, before)) continue;
    const what = `existing ephemeral containers ${JSON.stringify(before.name)} may not be`;
    yield forbidden("spec.ephemeralContainers", `${what} ${now ? "changed" : "removed"}\n`);
  }
}
