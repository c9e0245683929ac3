import { parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { compareSemver, parseSemver } from "@tsbuilder/apimachinery/semver";
import { type Bundle, definedCrds } from "./bundle.ts";
import { type Findings, finding } from "./rules.ts";

/** Finds objects of removed APIs: errors if `minKubeVersion` or `kubernetes` is without the API, and warnings otherwise. */
export function* checkRemovedApis(bundle: Bundle, kubernetes: string | undefined): Findings {
  const minimum = bundle.csv.get("spec", "minKubeVersion").text;
  const targets = [minimum, kubernetes].flatMap((text) => parseSemver(text ?? "") ?? []);
  for (const { place, apiVersion, kind, removed } of findRemovedApis(bundle)) {
    const { removedIn, successor } = removed;
    const isGone = targets.some((target) => compareSemver(target, parseSemver(removedIn)!) >= 0);
    const message = `Kubernetes ${removedIn.replace(/\.0$/u, "")} removed ${kind} of ${apiVersion}`;
    const bound = lastOpenShift(removedIn);
    const hint =
      isGone || bound === undefined
        ? `use ${successor}`
        : `use ${successor}, or keep clusters from upgrading: the property olm.maxOpenShiftVersion: "${bound}" in metadata/properties.yaml`;
    yield finding(isGone ? "api-removed" : "api-removed-later", place, message, hint);
  }
}

/** Finds the objects of removed APIs, and the kinds of such APIs that the ClusterServiceVersion lists as the operator's. */
export function findRemovedApis({ objects, csv }: Bundle) {
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

/** The APIs that Kubernetes removed, with their kinds. The successor is `v1` of the same group unless it is named. */
const removals: readonly (readonly [removedIn: string, api: string, kinds: string, successor?: string])[] = [
  ["1.16.0", "extensions/v1beta1", "DaemonSet Deployment ReplicaSet", "apps/v1"],
  ["1.16.0", "extensions/v1beta1", "NetworkPolicy", "networking.k8s.io/v1"],
  ["1.16.0", "apps/v1beta1", "Deployment StatefulSet ControllerRevision"],
  ["1.16.0", "apps/v1beta2", "DaemonSet Deployment ReplicaSet StatefulSet ControllerRevision"],
  ["1.22.0", "admissionregistration.k8s.io/v1beta1", "MutatingWebhookConfiguration"],
  ["1.22.0", "admissionregistration.k8s.io/v1beta1", "ValidatingWebhookConfiguration"],
  ["1.22.0", "apiextensions.k8s.io/v1beta1", "CustomResourceDefinition"],
  ["1.22.0", "apiregistration.k8s.io/v1beta1", "APIService"],
  ["1.22.0", "authentication.k8s.io/v1beta1", "TokenReview"],
  ["1.22.0", "authorization.k8s.io/v1beta1", "LocalSubjectAccessReview SelfSubjectAccessReview"],
  ["1.22.0", "authorization.k8s.io/v1beta1", "SubjectAccessReview"],
  ["1.22.0", "certificates.k8s.io/v1beta1", "CertificateSigningRequest"],
  ["1.22.0", "coordination.k8s.io/v1beta1", "Lease"],
  ["1.22.0", "extensions/v1beta1", "Ingress", "networking.k8s.io/v1"],
  ["1.22.0", "networking.k8s.io/v1beta1", "Ingress IngressClass"],
  ["1.22.0", "rbac.authorization.k8s.io/v1beta1", "ClusterRole ClusterRoleBinding Role RoleBinding"],
  ["1.22.0", "scheduling.k8s.io/v1beta1", "PriorityClass"],
  ["1.22.0", "storage.k8s.io/v1beta1", "CSIDriver CSINode StorageClass VolumeAttachment"],
  ["1.25.0", "autoscaling/v2beta1", "HorizontalPodAutoscaler", "autoscaling/v2"],
  ["1.25.0", "batch/v1beta1", "CronJob"],
  ["1.25.0", "discovery.k8s.io/v1beta1", "EndpointSlice"],
  ["1.25.0", "events.k8s.io/v1beta1", "Event"],
  ["1.25.0", "node.k8s.io/v1beta1", "RuntimeClass"],
  ["1.25.0", "policy/v1beta1", "PodDisruptionBudget"],
  ["1.25.0", "policy/v1beta1", "PodSecurityPolicy", "Pod Security admission"],
  ["1.26.0", "autoscaling/v2beta2", "HorizontalPodAutoscaler", "autoscaling/v2"],
  ["1.26.0", "flowcontrol.apiserver.k8s.io/v1beta1", "FlowSchema PriorityLevelConfiguration"],
  ["1.27.0", "storage.k8s.io/v1beta1", "CSIStorageCapacity"],
  ["1.29.0", "flowcontrol.apiserver.k8s.io/v1beta2", "FlowSchema PriorityLevelConfiguration"],
  ["1.32.0", "flowcontrol.apiserver.k8s.io/v1beta3", "FlowSchema PriorityLevelConfiguration"],
];

function findRemovedApi(apiVersion: string, kind: string) {
  const found = removals.find(([, api, kinds]) => api === apiVersion && kinds.split(" ").includes(kind));
  if (!found) return undefined;
  const [removedIn, , , successor = `${parseApiVersion(apiVersion).group}/v1`] = found;
  return { removedIn, successor };
}

/** Returns the last version of OpenShift that still serves an API. OpenShift 4.N is Kubernetes 1.(N+13). */
function lastOpenShift(removedIn: string): string | undefined {
  const minor = Number(removedIn.split(".")[1]) - 13 - 1;
  return minor < 1 ? undefined : `4.${minor}`;
}
