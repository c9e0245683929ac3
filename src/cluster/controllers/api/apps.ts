import type { IntOrString, KubernetesObject, LabelSelector } from "@tsbuilder/apimachinery/meta";
import type { ResourceName } from "../../contract/cluster-objects.ts";
import type { LooseCondition, PersistentVolumeClaim, PodTemplate } from "./core.ts";

export interface ReplicaSet extends KubernetesObject {
  spec: { replicas?: number; minReadySeconds?: number; selector: LabelSelector; template: PodTemplate };
  status?: ReplicaSetStatus;
}

export interface ReplicaSetStatus {
  replicas: number;
  fullyLabeledReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  terminatingReplicas?: number;
  observedGeneration?: number;
  conditions?: readonly LooseCondition[];
}

export interface Deployment extends KubernetesObject {
  spec: {
    replicas?: number;
    selector: LabelSelector;
    template: PodTemplate;
    strategy?: {
      type?: string;
      rollingUpdate?: { maxSurge?: IntOrString; maxUnavailable?: IntOrString };
    };
    minReadySeconds?: number;
    revisionHistoryLimit?: number;
    paused?: boolean;
    progressDeadlineSeconds?: number;
  };
  status?: DeploymentStatus;
}

export interface DeploymentStatus {
  observedGeneration?: number;
  replicas?: number;
  updatedReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  unavailableReplicas?: number;
  terminatingReplicas?: number;
  collisionCount?: number;
  conditions?: LooseCondition[];
}

export interface StatefulSet extends KubernetesObject {
  spec: {
    replicas?: number;
    selector: LabelSelector;
    template: PodTemplate;
    serviceName?: string;
    volumeClaimTemplates?: PersistentVolumeClaim[];
    podManagementPolicy?: string;
    updateStrategy?: {
      type?: string;
      rollingUpdate?: { partition?: number; maxUnavailable?: IntOrString };
    };
    revisionHistoryLimit?: number;
    minReadySeconds?: number;
    persistentVolumeClaimRetentionPolicy?: { whenDeleted?: string; whenScaled?: string };
    ordinals?: { start?: number };
  };
  status?: StatefulSetStatus;
}

export interface StatefulSetStatus {
  observedGeneration?: number;
  replicas: number;
  readyReplicas?: number;
  currentReplicas?: number;
  updatedReplicas?: number;
  availableReplicas?: number;
  currentRevision?: string;
  updateRevision?: string;
  collisionCount?: number;
  conditions?: LooseCondition[];
}

export interface DaemonSet extends KubernetesObject {
  spec: {
    selector: LabelSelector;
    template: PodTemplate;
    updateStrategy?: {
      type?: string;
      rollingUpdate?: { maxUnavailable?: IntOrString; maxSurge?: IntOrString };
    };
    minReadySeconds?: number;
    revisionHistoryLimit?: number;
  };
  status?: DaemonSetStatus;
}

export interface DaemonSetStatus {
  currentNumberScheduled: number;
  numberMisscheduled: number;
  desiredNumberScheduled: number;
  numberReady: number;
  observedGeneration?: number;
  updatedNumberScheduled?: number;
  numberAvailable?: number;
  numberUnavailable?: number;
  collisionCount?: number;
}

export interface ControllerRevision extends KubernetesObject {
  data: { spec: { template: PodTemplate } };
  revision: number;
}

export const replicaSets: ResourceName<ReplicaSet> = "replicasets.apps";
export const deployments: ResourceName<Deployment> = "deployments.apps";
export const statefulSets: ResourceName<StatefulSet> = "statefulsets.apps";
export const daemonSets: ResourceName<DaemonSet> = "daemonsets.apps";
export const controllerRevisions: ResourceName<ControllerRevision> = "controllerrevisions.apps";
