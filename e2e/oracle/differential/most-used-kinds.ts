/** The kind of all custom objects. */
export const customKind = "Foo";

/** The forty kinds that people use most: of these, the embedded server accepts nothing that the real one refuses. */
export const mostUsedKinds: readonly string[] = [
  // What runs.
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
  // What it reads and stores.
  "ConfigMap",
  "Secret",
  "PersistentVolume",
  "PersistentVolumeClaim",
  "StorageClass",
  "VolumeAttachment",
  "CSIDriver",
  // Who may do what.
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
  // What operators bring and leave.
  "CustomResourceDefinition",
  "ValidatingWebhookConfiguration",
  "MutatingWebhookConfiguration",
  "ValidatingAdmissionPolicy",
  "Lease",
  "Event",
];
