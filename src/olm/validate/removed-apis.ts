/** The APIs that a version of Kubernetes no longer serves, by the version that removed them. */
export interface RemovedApi {
  readonly removedIn: string;
  /** What to use instead. */
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

export function findRemovedApi(apiVersion: string, kind: string): RemovedApi | undefined {
  const found = removals.find(
    ([, version, kinds]) => version === apiVersion && kinds.split(" ").includes(kind),
  );
  return found && { removedIn: found[0], successor: found[3] };
}
