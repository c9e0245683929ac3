import type {
  Container,
  LimitRangeItem,
  PersistentVolumeClaim,
  PodSpec,
} from "@tsbuilder/apimachinery/k8s/core/v1";
import type { Sent } from "../contract/sent.ts";
import type { AdmissionRequest } from "../registry/admission-request.ts";
import { forbidden } from "../contract/status-error.ts";
import type { ApiObject } from "../contract/api-object.ts";
import type { Store } from "../storage/store.ts";
import type { ResourceList } from "../quota/resource-list.ts";
import { type AdmissionPlugin, isNewPod } from "./admission.ts";
import { checkClaimLimits, checkPodLimits } from "./limit-constraints.ts";

/** Sets default requests and limits of containers, and denies pods and claims outside a namespace's limit ranges. */
export function limitRanger(store: Store): AdmissionPlugin {
  const limitsOf = (namespace: string): LimitRangeItem[][] =>
    store
      .collection("limitranges")
      .list(`${namespace}/`)
      .map(({ object }) => (object["spec"] as { limits: LimitRangeItem[] | null }).limits ?? []);
  return {
    name: "LimitRanger",
    mutate(request) {
      if (!isNewPod(request)) return undefined;
      for (const limits of limitsOf(request.namespace)) setDefaults(request.object, limits);
      return request.object;
    },
    validate(request) {
      const { object, subresource } = request;
      if (subresource !== "" || !object || object.metadata.deletionTimestamp) return;
      if (isNewPod(request)) {
        const pod = object["spec"] as PodSpec;
        refuse(request, limitsOf(request.namespace), (limits) => checkPodLimits(pod, limits));
      } else if (isClaimWrite(request)) {
        const { requests = {} } = (object as PersistentVolumeClaim).spec?.resources ?? {};
        refuse(request, limitsOf(request.namespace), (limits) => checkClaimLimits(requests, limits));
      }
    },
  };
}

function isClaimWrite({ resource, operation }: AdmissionRequest): boolean {
  const isWrite = operation === "CREATE" || operation === "UPDATE";
  return isWrite && resource.group === "" && resource.plural === "persistentvolumeclaims";
}

/** Denies the request for the first range that it violates. */
function refuse(
  { resource, object, name }: AdmissionRequest,
  ranges: readonly LimitRangeItem[][],
  check: (limits: readonly LimitRangeItem[]) => Iterable<string>,
): void {
  for (const limits of ranges) {
    const problems = [...new Set(check(limits))];
    if (problems.length === 0) continue;
    const reason = problems.length === 1 ? problems[0]! : `[${problems.join(", ")}]`;
    throw forbidden(resource, object?.metadata.name ?? name, reason);
  }
}

const annotation = "kubernetes.io/limit-ranger";

/** Sets missing requests and limits of containers, and records in an annotation what was set. */
function setDefaults(pod: ApiObject, limits: readonly LimitRangeItem[]): void {
  const own = limits.filter(({ type }) => type === "Container");
  const requests: ResourceList = Object.assign({}, ...own.map((limit) => limit.defaultRequest));
  const maxima: ResourceList = Object.assign({}, ...own.map((limit) => limit.default));
  const { containers = [], initContainers = [] } = pod["spec"] as Sent<PodSpec>;
  const changes = [
    ...containers.flatMap((container) => fillContainer(container, requests, maxima, "container")),
    ...initContainers.flatMap((container) => fillContainer(container, requests, maxima, "init container")),
  ];
  if (changes.length === 0) return;
  const { annotations } = pod.metadata;
  pod.metadata.annotations = {
    ...annotations,
    [annotation]: `LimitRanger plugin set: ${changes.join("; ")}`,
  };
}

function fillContainer(
  container: Sent<Container>,
  requests: ResourceList,
  limits: ResourceList,
  what: string,
): string[] {
  const resources = (container.resources ??= {});
  const changes: string[] = [];
  for (const [kind, defaults] of [
    ["request", requests],
    ["limit", limits],
  ] as const) {
    const field = `${kind}s` as const;
    const missing = Object.keys(defaults).filter((name) => resources[field]?.[name] === undefined);
    if (missing.length === 0) continue;
    resources[field] = { ...defaults, ...resources[field] };
    changes.push(`${missing.toSorted().join(", ")} ${kind} for ${what} ${container.name}`);
  }
  return changes;
}
