import type { AdmissionRequest } from "../registry/admission-request.ts";
import { forbidden } from "../contract/status-error.ts";
import type { ApiObject } from "../contract/api-object.ts";
import type { Store } from "../storage/store.ts";
import type { PodNeeds } from "../quota/pod-resources.ts";
import type { ResourceList } from "../quota/resource-list.ts";
import { type AdmissionPlugin, isNewPod } from "./admission.ts";
import { checkClaimLimits, checkPodLimits, type Limits } from "./limit-constraints.ts";

interface LimitRange extends ApiObject {
  readonly spec: { readonly limits: readonly Limits[] };
}

interface Claim extends ApiObject {
  readonly spec?: { readonly resources?: { readonly requests?: ResourceList } };
}

interface Container {
  readonly name: string;
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
}

/** Gives containers what a namespace says they get, and refuses pods and claims outside its limits. */
export function limitRanger(store: Store): AdmissionPlugin {
  const rangesOf = (namespace: string): LimitRange[] =>
    store
      .collection("limitranges")
      .list(`${namespace}/`)
      .map(({ object }) => object as LimitRange);
  return {
    name: "LimitRanger",
    mutate(request) {
      if (!isNewPod(request)) return undefined;
      for (const { spec } of rangesOf(request.namespace)) giveDefaults(request.object, spec.limits);
      return request.object;
    },
    validate(request) {
      const { object, subresource } = request;
      if (subresource !== "" || !object || object.metadata.deletionTimestamp) return;
      if (isNewPod(request)) {
        const pod = object["spec"] as PodNeeds;
        refuse(request, rangesOf(request.namespace), (limits) => checkPodLimits(pod, limits));
      } else if (isClaimWrite(request)) {
        const { requests = {} } = (object as Claim).spec?.resources ?? {};
        refuse(request, rangesOf(request.namespace), (limits) => checkClaimLimits(requests, limits));
      }
    },
  };
}

function isClaimWrite({ resource, operation }: AdmissionRequest): boolean {
  const isWrite = operation === "CREATE" || operation === "UPDATE";
  return isWrite && resource.group === "" && resource.plural === "persistentvolumeclaims";
}

/** The first range that refuses is the one that is told. */
function refuse(
  { resource, object, name }: AdmissionRequest,
  ranges: readonly LimitRange[],
  check: (limits: readonly Limits[]) => Iterable<string>,
): void {
  for (const { spec } of ranges) {
    const problems = [...new Set(check(spec.limits))];
    if (problems.length === 0) continue;
    const reason = problems.length === 1 ? problems[0]! : `[${problems.join(", ")}]`;
    throw forbidden(resource, object?.metadata.name ?? name, reason);
  }
}

const annotation = "kubernetes.io/limit-ranger";

/** What a container does not say of itself is set, and an annotation tells so. */
function giveDefaults(pod: ApiObject, limits: readonly Limits[]): void {
  const own = limits.filter(({ type }) => type === "Container");
  const requests: ResourceList = Object.assign({}, ...own.map((limit) => limit.defaultRequest));
  const most: ResourceList = Object.assign({}, ...own.map((limit) => limit.default));
  const { containers, initContainers = [] } = pod["spec"] as {
    containers: Container[];
    initContainers?: Container[];
  };
  const told = [
    ...containers.flatMap((container) => fillContainer(container, requests, most, "container")),
    ...initContainers.flatMap((container) => fillContainer(container, requests, most, "init container")),
  ];
  if (told.length === 0) return;
  const { annotations } = pod.metadata;
  pod.metadata.annotations = {
    ...annotations,
    [annotation]: `LimitRanger plugin set: ${told.join("; ")}`,
  };
}

function fillContainer(
  container: Container,
  requests: ResourceList,
  limits: ResourceList,
  what: string,
): string[] {
  const resources = (container.resources ??= {});
  const told: string[] = [];
  for (const [kind, defaults] of [
    ["request", requests],
    ["limit", limits],
  ] as const) {
    const field = `${kind}s` as const;
    const missing = Object.keys(defaults).filter((name) => resources[field]?.[name] === undefined);
    if (missing.length === 0) continue;
    resources[field] = { ...defaults, ...resources[field] };
    told.push(`${missing.toSorted().join(", ")} ${kind} for ${what} ${container.name}`);
  }
  return told;
}
