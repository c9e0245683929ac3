/** The kind of all custom objects. */
export const customKind = "Foo";

/** The forty kinds that people use most: of these, the embedded server accepts nothing that the real one refuses. */
export const mostUsedKinds: readonly string[] = [
  // Workloads.
  "Pod",
  "Deployment",
  "ReplicaSet",
  "StatefulSet",
  "DaemonSet",
  "ReplicationController",
  "Job",
  "CronJob",
  // How it is reached.
  "Service",
  "Endpoints",
  "EndpointSlice",
  "Ingress",
  "IngressClass",
  "NetworkPolicy",
  // Configuration and storage.
  "ConfigMap",
  "Secret",
  "PersistentVolume",
  "PersistentVolumeClaim",
  "StorageClass",
  "VolumeAttachment",
  "CSIDriver",
  // Permissions.
  "ServiceAccount",
  "Role",
  "RoleBinding",
  "ClusterRole",
  "ClusterRoleBinding",
  // Where, how much and how many.
  "Namespace",
  "Node",
  "LimitRange",
  "ResourceQuota",
  "HorizontalPodAutoscaler",
  "PodDisruptionBudget",
  "PriorityClass",
  "RuntimeClass",
  // Kinds around operators.
  "CustomResourceDefinition",
  "ValidatingWebhookConfiguration",
  "MutatingWebhookConfiguration",
  "ValidatingAdmissionPolicy",
  "Lease",
  "Event",
];
