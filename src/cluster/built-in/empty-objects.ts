import type { JSONObject } from "@tsbuilder/apimachinery/json";

const podSpec = { containers: null };
const template = { metadata: {}, spec: podSpec };

/**
 * What Go prints of an empty object of a kind: structs that are no pointers. Nobody owns them in managedFields,
 * and bookmarks carry them.
 */
export function emptyObjectOf({ group, kind }: { group: string; kind: string }): JSONObject | undefined {
  return kind === "Event" && group !== "" ? newEvent : emptyObjects[kind];
}

/** The face of an event in events.k8s.io. */
const newEvent: JSONObject = {
  regarding: {},
  metadata: {},
  eventTime: null,
  deprecatedSource: {},
  deprecatedFirstTimestamp: null,
  deprecatedLastTimestamp: null,
};

const emptyObjects: Readonly<Record<string, JSONObject>> = {
  Namespace: { spec: {}, status: {} },
  Node: { spec: {}, status: { daemonEndpoints: { kubeletEndpoint: { Port: 0 } }, nodeInfo: {} } },
  Pod: { spec: podSpec, status: {} },
  PodTemplate: { template },
  Service: { spec: {}, status: { loadBalancer: {} } },
  PersistentVolume: { spec: {}, status: {} },
  PersistentVolumeClaim: { spec: { resources: {} }, status: {} },
  ReplicationController: { spec: {}, status: {} },
  ResourceQuota: { spec: {}, status: {} },
  LimitRange: { spec: {} },
  Event: {
    involvedObject: {},
    source: {},
    metadata: {},
    eventTime: null,
    firstTimestamp: null,
    lastTimestamp: null,
    reportingComponent: "",
    reportingInstance: "",
  },
  Deployment: { spec: { template, strategy: {} }, status: {} },
  ReplicaSet: { spec: { template }, status: {} },
  StatefulSet: { spec: { template, updateStrategy: {} }, status: {} },
  DaemonSet: { spec: { template, updateStrategy: {} }, status: {} },
  Job: { spec: { template }, status: {} },
  CronJob: { spec: { jobTemplate: { metadata: {}, spec: { template } } }, status: {} },
  PodDisruptionBudget: { spec: {}, status: {} },
  Ingress: { spec: {}, status: { loadBalancer: {} } },
  IngressClass: { spec: {} },
  NetworkPolicy: { spec: { podSelector: {} } },
  Lease: { spec: {} },
  CustomResourceDefinition: { spec: { names: {} }, status: { acceptedNames: {} } },
  CertificateSigningRequest: { spec: {}, status: {} },
  SelfSubjectAccessReview: { spec: {}, status: { allowed: false } },
  SubjectAccessReview: { spec: {}, status: { allowed: false } },
  LocalSubjectAccessReview: { spec: {}, status: { allowed: false } },
  SelfSubjectRulesReview: { spec: {} },
  SelfSubjectReview: { status: { userInfo: {} } },
  TokenReview: { spec: {}, status: { user: {} } },
  RoleBinding: { roleRef: {} },
  ClusterRoleBinding: { roleRef: {} },
  CSIDriver: { spec: {} },
  CSINode: { spec: { drivers: null } },
  VolumeAttachment: { spec: { source: {} } },
  FlowSchema: { spec: { priorityLevelConfiguration: {} }, status: {} },
  PriorityLevelConfiguration: { spec: {}, status: {} },
  APIService: { spec: {}, status: {} },
  ValidatingAdmissionPolicy: { spec: {}, status: {} },
  ValidatingAdmissionPolicyBinding: { spec: {} },
  MutatingAdmissionPolicy: { spec: {} },
  MutatingAdmissionPolicyBinding: { spec: {} },
  ServiceCIDR: { spec: {}, status: {} },
  DeviceClass: { spec: {} },
  ResourceClaim: { spec: { devices: { requests: null } }, status: {} },
  ResourceClaimTemplate: { spec: { metadata: {}, spec: { devices: { requests: null } } } },
  ResourceSlice: { spec: { pool: {} } },
};
