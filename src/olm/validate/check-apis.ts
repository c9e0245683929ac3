import { compareSemver, parseSemver } from "@tsbuilder/apimachinery/semver";
import type { Located } from "../located.ts";
import { type Bundle, definedCrds } from "./bundle.ts";
import { type Findings, finding } from "./rules.ts";

/**
 * Finds objects of APIs that Kubernetes no longer serves: an error if the bundle's `minKubeVersion`, or the given version,
 * has removed the API, and a warning otherwise.
 */
export function* checkApis(bundle: Bundle, kubernetes: string | undefined): Findings {
  const minimum = bundle.csv.get("spec", "minKubeVersion").text;
  const targets = [minimum, kubernetes].flatMap((text) => parseSemver(text ?? "") ?? []);
  for (const { place, apiVersion, kind, removed } of removedApis(bundle)) {
    const { removedIn, successor } = removed;
    const isGone = targets.some((target) => compareSemver(target, parseSemver(removedIn)!) >= 0);
    const message = `Kubernetes ${removedIn.replace(/\.0$/u, "")} removed ${kind} of ${apiVersion}`;
    const bound = maxOpenShift(removedIn);
    const hint =
      isGone || bound === undefined
        ? `use ${successor}`
        : `use ${successor}, or keep clusters from upgrading: the property olm.maxOpenShiftVersion: "${bound}" in metadata/properties.yaml`;
    yield finding(isGone ? "api-removed" : "api-removed-later", place, message, hint);
  }
}

/** An object of a removed API. */
interface RemovedUse {
  readonly place: Located;
  readonly apiVersion: string;
  readonly kind: string;
  readonly removed: RemovedApi;
}

export function removedApis({ objects, csv }: Bundle): RemovedUse[] {
  const places = [
    ...objects.map((object) => [object, object.get("apiVersion")] as const),
    // Kinds that consoles list as the operator's.
    ...(["owned", "required"] as const)
      .flatMap((side) => definedCrds({ csv }, side))
      .flatMap((crd) => crd.get("resources").items)
      .map((resource) => [resource, resource.get("version")] as const),
  ];
  return places.flatMap(([object, place]) => {
    const [apiVersion, kind] = [place.text, object.get("kind").text];
    if (apiVersion === undefined || kind === undefined) return [];
    const removed = findRemovedApi(apiVersion, kind);
    return removed ? [{ place, apiVersion, kind, removed }] : [];
  });
}

/** A removed API. */
interface RemovedApi {
  readonly removedIn: string;
  /** The API to use instead. */
  readonly successor: string;
}

const removals: readonly (readonly [
  removedIn: string,
  apiVersion: string,
  kinds: string,
  successor: string,
])[] = [
  ["1.16.0", "extensions/v1beta1", "DaemonSet Deployment ReplicaSet", "apps/v1"],
  ["1.16.0", "extensions/v1beta1", "NetworkPolicy", "networking.k8s.io/v1"],
  ["1.16.0", "apps/v1beta1", "Deployment StatefulSet ControllerRevision", "apps/v1"],
  ["1.16.0", "apps/v1beta2", "DaemonSet Deployment ReplicaSet StatefulSet ControllerRevision", "apps/v1"],
  [
    "1.22.0",
    "admissionregistration.k8s.io/v1beta1",
    "MutatingWebhookConfiguration ValidatingWebhookConfiguration",
    "admissionregistration.k8s.io/v1",
  ],
  ["1.22.0", "apiextensions.k8s.io/v1beta1", "CustomResourceDefinition", "apiextensions.k8s.io/v1"],
  ["1.22.0", "apiregistration.k8s.io/v1beta1", "APIService", "apiregistration.k8s.io/v1"],
  ["1.22.0", "authentication.k8s.io/v1beta1", "TokenReview", "authentication.k8s.io/v1"],
  [
    "1.22.0",
    "authorization.k8s.io/v1beta1",
    "LocalSubjectAccessReview SelfSubjectAccessReview SubjectAccessReview",
    "authorization.k8s.io/v1",
  ],
  ["1.22.0", "certificates.k8s.io/v1beta1", "CertificateSigningRequest", "certificates.k8s.io/v1"],
  ["1.22.0", "coordination.k8s.io/v1beta1", "Lease", "coordination.k8s.io/v1"],
  ["1.22.0", "extensions/v1beta1", "Ingress", "networking.k8s.io/v1"],
  ["1.22.0", "networking.k8s.io/v1beta1", "Ingress IngressClass", "networking.k8s.io/v1"],
  [
    "1.22.0",
    "rbac.authorization.k8s.io/v1beta1",
    "ClusterRole ClusterRoleBinding Role RoleBinding",
    "rbac.authorization.k8s.io/v1",
  ],
  ["1.22.0", "scheduling.k8s.io/v1beta1", "PriorityClass", "scheduling.k8s.io/v1"],
  [
    "1.22.0",
    "storage.k8s.io/v1beta1",
    "CSIDriver CSINode StorageClass VolumeAttachment",
    "storage.k8s.io/v1",
  ],
  ["1.25.0", "autoscaling/v2beta1", "HorizontalPodAutoscaler", "autoscaling/v2"],
  ["1.25.0", "batch/v1beta1", "CronJob", "batch/v1"],
  ["1.25.0", "discovery.k8s.io/v1beta1", "EndpointSlice", "discovery.k8s.io/v1"],
  ["1.25.0", "events.k8s.io/v1beta1", "Event", "events.k8s.io/v1"],
  ["1.25.0", "node.k8s.io/v1beta1", "RuntimeClass", "node.k8s.io/v1"],
  ["1.25.0", "policy/v1beta1", "PodDisruptionBudget", "policy/v1"],
  ["1.25.0", "policy/v1beta1", "PodSecurityPolicy", "Pod Security admission"],
  ["1.26.0", "autoscaling/v2beta2", "HorizontalPodAutoscaler", "autoscaling/v2"],
  [
    "1.26.0",
    "flowcontrol.apiserver.k8s.io/v1beta1",
    "FlowSchema PriorityLevelConfiguration",
    "flowcontrol.apiserver.k8s.io/v1",
  ],
  ["1.27.0", "storage.k8s.io/v1beta1", "CSIStorageCapacity", "storage.k8s.io/v1"],
  [
    "1.29.0",
    "flowcontrol.apiserver.k8s.io/v1beta2",
    "FlowSchema PriorityLevelConfiguration",
    "flowcontrol.apiserver.k8s.io/v1",
  ],
  [
    "1.32.0",
    "flowcontrol.apiserver.k8s.io/v1beta3",
    "FlowSchema PriorityLevelConfiguration",
    "flowcontrol.apiserver.k8s.io/v1",
  ],
];

function findRemovedApi(apiVersion: string, kind: string): RemovedApi | undefined {
  const found = removals.find(
    ([, version, kinds]) => version === apiVersion && kinds.split(" ").includes(kind),
  );
  return found && { removedIn: found[0], successor: found[3] };
}

/** Returns the last version of OpenShift that still serves an API. OpenShift 4.N is Kubernetes 1.(N+13). */
function maxOpenShift(removedIn: string): string | undefined {
  const minor = Number(removedIn.split(".")[1]) - 13 - 1;
  return minor < 1 ? undefined : `4.${minor}`;
}
