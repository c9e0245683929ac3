import type {
  Condition,
  KubernetesObject,
  LabelSelector,
  ObjectMeta,
  Time,
} from "@tsbuilder/apimachinery/meta";
import type { ResourceName } from "../../contract/cluster-objects.ts";

/** A condition as built-in kinds have it: no generation, and a time of its last update on some. */
export type LooseCondition = Partial<Omit<Condition, "type" | "status">> & {
  type: string;
  status: Condition["status"];
  lastUpdateTime?: Time;
  lastProbeTime?: Time | null;
};

export interface Container {
  name: string;
  image?: string;
  ports?: { name?: string; containerPort: number; protocol?: string }[];
  restartPolicy?: string;
  [field: string]: unknown;
}

interface Volume {
  name: string;
  persistentVolumeClaim?: { claimName: string };
  [field: string]: unknown;
}

interface PodSpec {
  containers: Container[];
  initContainers?: Container[];
  volumes?: Volume[];
  nodeName?: string;
  nodeSelector?: { [label: string]: string };
  restartPolicy?: string;
  schedulerName?: string;
  hostNetwork?: boolean;
  hostname?: string;
  subdomain?: string;
  affinity?: { [field: string]: unknown };
  tolerations?: { key?: string; operator?: string; value?: string; effect?: string }[];
  readinessGates?: { conditionType: string }[];
  schedulingGates?: { name: string }[];
  [field: string]: unknown;
}

export interface PodStatus {
  phase?: "Pending" | "Running" | "Succeeded" | "Failed" | "Unknown";
  conditions?: LooseCondition[];
  podIP?: string;
  podIPs?: { ip: string }[];
  startTime?: Time;
  containerStatuses?: unknown[];
  initContainerStatuses?: unknown[];
  [field: string]: unknown;
}

export interface Pod extends KubernetesObject {
  spec: PodSpec;
  status?: PodStatus;
}

export interface PodTemplate {
  metadata?: ObjectMeta;
  spec: PodSpec;
}

export interface ServicePort {
  name?: string;
  protocol?: string;
  port: number;
  targetPort?: number | string;
  appProtocol?: string;
}

export interface Service extends KubernetesObject {
  spec: {
    type?: string;
    selector?: { [label: string]: string };
    ports?: ServicePort[];
    clusterIP?: string;
    publishNotReadyAddresses?: boolean;
    ipFamilies?: string[];
  };
}

export interface Namespace extends KubernetesObject {
  spec?: { finalizers?: string[] };
  status?: { phase?: string; conditions?: LooseCondition[] };
}

export interface Taint {
  key: string;
  value?: string;
  effect: string;
}

export interface Node extends KubernetesObject {
  spec?: {
    unschedulable?: boolean;
    taints?: Taint[];
    [field: string]: unknown;
  };
  status?: { conditions?: LooseCondition[]; [field: string]: unknown };
}

export interface ServiceAccount extends KubernetesObject {
  automountServiceAccountToken?: boolean;
}

export interface ConfigMap extends KubernetesObject {
  data?: { [key: string]: string };
}

interface VolumeResources {
  requests?: { storage?: string | number };
}

export interface PersistentVolumeClaim extends KubernetesObject {
  spec: {
    accessModes?: string[];
    resources?: VolumeResources;
    storageClassName?: string;
    volumeName?: string;
    volumeMode?: string;
    selector?: LabelSelector;
  };
  status?: { phase?: string; accessModes?: string[]; capacity?: { storage?: string | number } };
}

export interface PersistentVolume extends KubernetesObject {
  spec: {
    accessModes?: string[];
    capacity?: { storage?: string | number };
    claimRef?: {
      apiVersion?: string;
      kind?: string;
      namespace?: string;
      name?: string;
      uid?: string;
      resourceVersion?: string;
    };
    persistentVolumeReclaimPolicy?: string;
    storageClassName?: string;
    volumeMode?: string;
    [field: string]: unknown;
  };
  status?: { phase?: string };
}

export interface StorageClass extends KubernetesObject {
  provisioner: string;
  reclaimPolicy?: string;
  volumeBindingMode?: string;
  allowVolumeExpansion?: boolean;
}

export const pods: ResourceName<Pod> = "pods";
export const services: ResourceName<Service> = "services";
export const namespaces: ResourceName<Namespace> = "namespaces";
export const nodes: ResourceName<Node> = "nodes";
export const serviceAccounts: ResourceName<ServiceAccount> = "serviceaccounts";
export const configMaps: ResourceName<ConfigMap> = "configmaps";
export const secrets: ResourceName = "secrets";
export const persistentVolumeClaims: ResourceName<PersistentVolumeClaim> = "persistentvolumeclaims";
export const persistentVolumes: ResourceName<PersistentVolume> = "persistentvolumes";
export const storageClasses: ResourceName<StorageClass> = "storageclasses.storage.k8s.io";
