import type { Verb } from "../resource.ts";

/** The built-in kinds by group, in the order in which discovery lists them: clients take the first match of a short name. */
export const catalog: ReadonlyArray<{ group: string; resources: readonly CatalogLine[] }> = [
  {
    group: "",
    resources: [
      { version: "v1", plural: "bindings", kind: "Binding", verbs: ["create"] },
      { version: "v1", plural: "configmaps", kind: "ConfigMap", shortNames: ["cm"] },
      { version: "v1", plural: "endpoints", kind: "Endpoints", shortNames: ["ep"] },
      { version: "v1", plural: "events", kind: "Event", shortNames: ["ev"] },
      { version: "v1", plural: "limitranges", kind: "LimitRange", shortNames: ["limits"] },
      {
        version: "v1",
        plural: "namespaces",
        kind: "Namespace",
        cluster: true,
        verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
        shortNames: ["ns"],
        subresources: ["finalize", "status"],
      },
      {
        version: "v1",
        plural: "nodes",
        kind: "Node",
        cluster: true,
        shortNames: ["no"],
        subresources: ["proxy", "status"],
      },
      {
        version: "v1",
        plural: "persistentvolumeclaims",
        kind: "PersistentVolumeClaim",
        shortNames: ["pvc"],
        subresources: ["status"],
      },
      {
        version: "v1",
        plural: "persistentvolumes",
        kind: "PersistentVolume",
        cluster: true,
        shortNames: ["pv"],
        subresources: ["status"],
      },
      {
        version: "v1",
        plural: "pods",
        kind: "Pod",
        shortNames: ["po"],
        categories: ["all"],
        subresources: [
          "attach",
          "binding",
          "ephemeralcontainers",
          "eviction",
          "exec",
          "log",
          "portforward",
          "proxy",
          "resize",
          "status",
        ],
      },
      { version: "v1", plural: "podtemplates", kind: "PodTemplate" },
      {
        version: "v1",
        plural: "replicationcontrollers",
        kind: "ReplicationController",
        shortNames: ["rc"],
        categories: ["all"],
        subresources: ["scale", "status"],
      },
      {
        version: "v1",
        plural: "resourcequotas",
        kind: "ResourceQuota",
        shortNames: ["quota"],
        subresources: ["status"],
      },
      { version: "v1", plural: "secrets", kind: "Secret" },
      {
        version: "v1",
        plural: "serviceaccounts",
        kind: "ServiceAccount",
        shortNames: ["sa"],
        subresources: ["token"],
      },
      {
        version: "v1",
        plural: "services",
        kind: "Service",
        shortNames: ["svc"],
        categories: ["all"],
        subresources: ["proxy", "status"],
      },
    ],
  },
  {
    group: "apiregistration.k8s.io",
    resources: [
      {
        version: "v1",
        plural: "apiservices",
        kind: "APIService",
        cluster: true,
        categories: ["api-extensions"],
        subresources: ["status"],
      },
    ],
  },
  {
    group: "apps",
    resources: [
      { version: "v1", plural: "controllerrevisions", kind: "ControllerRevision" },
      {
        version: "v1",
        plural: "daemonsets",
        kind: "DaemonSet",
        shortNames: ["ds"],
        categories: ["all"],
        subresources: ["status"],
      },
      {
        version: "v1",
        plural: "deployments",
        kind: "Deployment",
        shortNames: ["deploy"],
        categories: ["all"],
        subresources: ["scale", "status"],
      },
      {
        version: "v1",
        plural: "replicasets",
        kind: "ReplicaSet",
        shortNames: ["rs"],
        categories: ["all"],
        subresources: ["scale", "status"],
      },
      {
        version: "v1",
        plural: "statefulsets",
        kind: "StatefulSet",
        shortNames: ["sts"],
        categories: ["all"],
        subresources: ["scale", "status"],
      },
    ],
  },
  {
    group: "events.k8s.io",
    resources: [{ version: "v1", plural: "events", kind: "Event", shortNames: ["ev"] }],
  },
  {
    group: "authentication.k8s.io",
    resources: [
      {
        version: "v1",
        plural: "selfsubjectreviews",
        kind: "SelfSubjectReview",
        cluster: true,
        verbs: ["create"],
      },
      { version: "v1", plural: "tokenreviews", kind: "TokenReview", cluster: true, verbs: ["create"] },
    ],
  },
  {
    group: "authorization.k8s.io",
    resources: [
      {
        version: "v1",
        plural: "localsubjectaccessreviews",
        kind: "LocalSubjectAccessReview",
        verbs: ["create"],
      },
      {
        version: "v1",
        plural: "selfsubjectaccessreviews",
        kind: "SelfSubjectAccessReview",
        cluster: true,
        verbs: ["create"],
      },
      {
        version: "v1",
        plural: "selfsubjectrulesreviews",
        kind: "SelfSubjectRulesReview",
        cluster: true,
        verbs: ["create"],
      },
      {
        version: "v1",
        plural: "subjectaccessreviews",
        kind: "SubjectAccessReview",
        cluster: true,
        verbs: ["create"],
      },
    ],
  },
  {
    group: "autoscaling",
    resources: [
      {
        version: "v2",
        plural: "horizontalpodautoscalers",
        kind: "HorizontalPodAutoscaler",
        shortNames: ["hpa"],
        categories: ["all"],
        subresources: ["status"],
      },
      {
        version: "v1",
        plural: "horizontalpodautoscalers",
        kind: "HorizontalPodAutoscaler",
        shortNames: ["hpa"],
        categories: ["all"],
        subresources: ["status"],
      },
    ],
  },
  {
    group: "batch",
    resources: [
      {
        version: "v1",
        plural: "cronjobs",
        kind: "CronJob",
        shortNames: ["cj"],
        categories: ["all"],
        subresources: ["status"],
      },
      { version: "v1", plural: "jobs", kind: "Job", categories: ["all"], subresources: ["status"] },
    ],
  },
  {
    group: "certificates.k8s.io",
    resources: [
      {
        version: "v1",
        plural: "certificatesigningrequests",
        kind: "CertificateSigningRequest",
        cluster: true,
        shortNames: ["csr"],
        subresources: ["approval", "status"],
      },
    ],
  },
  {
    group: "networking.k8s.io",
    resources: [
      { version: "v1", plural: "ingressclasses", kind: "IngressClass", cluster: true },
      { version: "v1", plural: "ingresses", kind: "Ingress", shortNames: ["ing"], subresources: ["status"] },
      { version: "v1", plural: "ipaddresses", kind: "IPAddress", cluster: true, shortNames: ["ip"] },
      { version: "v1", plural: "networkpolicies", kind: "NetworkPolicy", shortNames: ["netpol"] },
      { version: "v1", plural: "servicecidrs", kind: "ServiceCIDR", cluster: true, subresources: ["status"] },
    ],
  },
  {
    group: "policy",
    resources: [
      {
        version: "v1",
        plural: "poddisruptionbudgets",
        kind: "PodDisruptionBudget",
        shortNames: ["pdb"],
        subresources: ["status"],
      },
    ],
  },
  {
    group: "rbac.authorization.k8s.io",
    resources: [
      { version: "v1", plural: "clusterrolebindings", kind: "ClusterRoleBinding", cluster: true },
      { version: "v1", plural: "clusterroles", kind: "ClusterRole", cluster: true },
      { version: "v1", plural: "rolebindings", kind: "RoleBinding" },
      { version: "v1", plural: "roles", kind: "Role" },
    ],
  },
  {
    group: "storage.k8s.io",
    resources: [
      { version: "v1", plural: "csidrivers", kind: "CSIDriver", cluster: true },
      { version: "v1", plural: "csinodes", kind: "CSINode", cluster: true },
      { version: "v1", plural: "csistoragecapacities", kind: "CSIStorageCapacity" },
      { version: "v1", plural: "storageclasses", kind: "StorageClass", cluster: true, shortNames: ["sc"] },
      {
        version: "v1",
        plural: "volumeattachments",
        kind: "VolumeAttachment",
        cluster: true,
        subresources: ["status"],
      },
      {
        version: "v1",
        plural: "volumeattributesclasses",
        kind: "VolumeAttributesClass",
        cluster: true,
        shortNames: ["vac"],
      },
    ],
  },
  {
    group: "admissionregistration.k8s.io",
    resources: [
      {
        version: "v1",
        plural: "mutatingadmissionpolicies",
        kind: "MutatingAdmissionPolicy",
        cluster: true,
        categories: ["api-extensions"],
      },
      {
        version: "v1",
        plural: "mutatingadmissionpolicybindings",
        kind: "MutatingAdmissionPolicyBinding",
        cluster: true,
        categories: ["api-extensions"],
      },
      {
        version: "v1",
        plural: "mutatingwebhookconfigurations",
        kind: "MutatingWebhookConfiguration",
        cluster: true,
        categories: ["api-extensions"],
      },
      {
        version: "v1",
        plural: "validatingadmissionpolicies",
        kind: "ValidatingAdmissionPolicy",
        cluster: true,
        categories: ["api-extensions"],
        subresources: ["status"],
      },
      {
        version: "v1",
        plural: "validatingadmissionpolicybindings",
        kind: "ValidatingAdmissionPolicyBinding",
        cluster: true,
        categories: ["api-extensions"],
      },
      {
        version: "v1",
        plural: "validatingwebhookconfigurations",
        kind: "ValidatingWebhookConfiguration",
        cluster: true,
        categories: ["api-extensions"],
      },
    ],
  },
  {
    group: "apiextensions.k8s.io",
    resources: [
      {
        version: "v1",
        plural: "customresourcedefinitions",
        kind: "CustomResourceDefinition",
        cluster: true,
        shortNames: ["crd", "crds"],
        categories: ["api-extensions"],
        subresources: ["status"],
      },
    ],
  },
  {
    group: "scheduling.k8s.io",
    resources: [
      { version: "v1", plural: "priorityclasses", kind: "PriorityClass", cluster: true, shortNames: ["pc"] },
    ],
  },
  { group: "coordination.k8s.io", resources: [{ version: "v1", plural: "leases", kind: "Lease" }] },
  {
    group: "node.k8s.io",
    resources: [{ version: "v1", plural: "runtimeclasses", kind: "RuntimeClass", cluster: true }],
  },
  {
    group: "discovery.k8s.io",
    resources: [{ version: "v1", plural: "endpointslices", kind: "EndpointSlice" }],
  },
  {
    group: "resource.k8s.io",
    resources: [
      { version: "v1", plural: "deviceclasses", kind: "DeviceClass", cluster: true },
      { version: "v1", plural: "resourceclaims", kind: "ResourceClaim", subresources: ["status"] },
      { version: "v1", plural: "resourceclaimtemplates", kind: "ResourceClaimTemplate" },
      { version: "v1", plural: "resourceslices", kind: "ResourceSlice", cluster: true },
    ],
  },
  {
    group: "flowcontrol.apiserver.k8s.io",
    resources: [
      { version: "v1", plural: "flowschemas", kind: "FlowSchema", cluster: true, subresources: ["status"] },
      {
        version: "v1",
        plural: "prioritylevelconfigurations",
        kind: "PriorityLevelConfiguration",
        cluster: true,
        subresources: ["status"],
      },
    ],
  },
];

/** One line of the catalogue: what differs from the usual is said. */
export interface CatalogLine {
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly cluster?: true;
  readonly verbs?: readonly Verb[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly string[];
}
