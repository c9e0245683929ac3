// The kinds of the core group and of storage as controllers read them, and the names of their resources.

import type { Time } from "@tsbuilder/apimachinery/meta";
import type * as storage from "@tsbuilder/apimachinery/k8s/storage/v1";
import type * as core from "@tsbuilder/apimachinery/k8s/core/v1";
import type { ResourceName } from "../../contract/cluster-objects.ts";
import type { Stored } from "../../contract/api-object.ts";

/** A condition of any built-in kind: only conditions of pods have observedGeneration, and some have lastUpdateTime. */
export interface LooseCondition {
  type: string;
  status: string;
  observedGeneration?: number | undefined;
  reason?: string | undefined;
  message?: string | undefined;
  lastTransitionTime?: Time | undefined;
  lastUpdateTime?: Time | undefined;
  lastProbeTime?: Time | null | undefined;
}

export type ConfigMap = Stored<core.ConfigMap>;
export type Container = Stored<core.Container>;
export type ContainerStatus = Stored<core.ContainerStatus>;
export type Namespace = Stored<core.Namespace>;
export type Node = Stored<core.Node>;
export type PersistentVolume = Stored<core.PersistentVolume>;
export type PersistentVolumeClaim = Stored<core.PersistentVolumeClaim>;
export type Pod = Stored<core.Pod>;
export type PodStatus = Stored<core.PodStatus>;
export type PodTemplateSpec = Stored<core.PodTemplateSpec>;
export type Service = Stored<core.Service>;
export type ServiceAccount = Stored<core.ServiceAccount>;
export type ServicePort = Stored<core.ServicePort>;
export type Taint = Stored<core.Taint>;
export type StorageClass = storage.StorageClass;
export type VolumeAttributesClass = storage.VolumeAttributesClass;

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

export const volumeAttributesClasses: ResourceName<VolumeAttributesClass> =
  "volumeattributesclasses.storage.k8s.io";

/** An object whose spec has fields that the server's defaults fill in where a client omits them. */
export type Defaulted<T extends { spec: object }, Fields extends keyof T["spec"]> = Omit<T, "spec"> & {
  spec: T["spec"] & { [Field in Fields]-?: NonNullable<T["spec"][Field]> };
};
