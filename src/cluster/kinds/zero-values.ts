import type { JSONObject } from "@tsbuilder/apimachinery/json";

/**
 * The fields besides those of `emptyObject` that Go serializes although they are zero, by version and kind. Bookmarks
 * hold an empty object, and show them.
 */
export const zeroValues: ReadonlyMap<string, JSONObject> = new Map<string, JSONObject>([
  [
    "v1 Node",
    {
      status: {
        nodeInfo: {
          architecture: "",
          bootID: "",
          containerRuntimeVersion: "",
          kernelVersion: "",
          kubeProxyVersion: "",
          kubeletVersion: "",
          machineID: "",
          operatingSystem: "",
          osImage: "",
          systemUUID: "",
        },
      },
    },
  ],
  ["v1 ReplicationController", { status: { replicas: 0 } }],
  ["apiregistration.k8s.io/v1 APIService", { spec: { groupPriorityMinimum: 0, versionPriority: 0 } }],
  ["apps/v1 ControllerRevision", { data: null }],
  [
    "apps/v1 DaemonSet",
    {
      spec: { selector: null },
      status: { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 },
      metadata: { annotations: { "deprecated.daemonset.template.generation": "0" } },
    },
  ],
  ["apps/v1 Deployment", { spec: { replicas: 0, selector: null } }],
  ["apps/v1 ReplicaSet", { spec: { replicas: 0, selector: null }, status: { replicas: 0 } }],
  [
    "apps/v1 StatefulSet",
    { spec: { replicas: 0, selector: null }, status: { availableReplicas: 0, replicas: 0 } },
  ],
  [
    "autoscaling/v2 HorizontalPodAutoscaler",
    {
      spec: { maxReplicas: 0, scaleTargetRef: { kind: "", name: "" } },
      status: { currentMetrics: null, desiredReplicas: 0 },
    },
  ],
  [
    "autoscaling/v1 HorizontalPodAutoscaler",
    {
      spec: { maxReplicas: 0, scaleTargetRef: { kind: "", name: "" } },
      status: { currentReplicas: 0, desiredReplicas: 0 },
    },
  ],
  ["batch/v1 CronJob", { spec: { schedule: "" } }],
  ["certificates.k8s.io/v1 CertificateSigningRequest", { spec: { request: null, signerName: "" } }],
  [
    "policy/v1 PodDisruptionBudget",
    { status: { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 } },
  ],
  ["rbac.authorization.k8s.io/v1 ClusterRoleBinding", { roleRef: { apiGroup: "", kind: "", name: "" } }],
  ["rbac.authorization.k8s.io/v1 RoleBinding", { roleRef: { apiGroup: "", kind: "", name: "" } }],
  ["storage.k8s.io/v1 CSIStorageCapacity", { storageClassName: "" }],
  ["storage.k8s.io/v1 StorageClass", { provisioner: "" }],
  [
    "storage.k8s.io/v1 VolumeAttachment",
    { spec: { attacher: "", nodeName: "" }, status: { attached: false } },
  ],
  ["storage.k8s.io/v1 VolumeAttributesClass", { driverName: "" }],
  [
    "apiextensions.k8s.io/v1 CustomResourceDefinition",
    {
      spec: { group: "", names: { kind: "", plural: "" }, scope: "", versions: null },
      status: { acceptedNames: { kind: "", plural: "" }, conditions: null, storedVersions: null },
    },
  ],
  ["node.k8s.io/v1 RuntimeClass", { handler: "" }],
  ["discovery.k8s.io/v1 EndpointSlice", { addressType: "" }],
  ["resource.k8s.io/v1 ResourceSlice", { spec: { driver: "", pool: { name: "", resourceSliceCount: 0 } } }],
  [
    "flowcontrol.apiserver.k8s.io/v1 FlowSchema",
    { spec: { matchingPrecedence: 0, priorityLevelConfiguration: { name: "" } } },
  ],
  ["flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration", { spec: { type: "" } }],
]);
