/*
 * SPDX-License-Identifier: Apache-2.0
 */

import {
  type Condition,
  type CustomResource,
  defineKind,
  type int32,
  type int64,
} from "@tsbuilder/runtime";
import type { ResourceRequirements } from "@tsbuilder/runtime/k8s/core/v1";
import { groupVersion } from "./groupversion_info.ts";

/** MemcachedSpec is the desired state: the image, the number of pods, and how they run. */
export interface MemcachedSpec {
  /**
   * Image with its tag or digest; pods are replaced when it changes.
   * +kubebuilder:default="memcached:1.6-alpine"
   * +kubebuilder:validation:MinLength=1
   * +kubebuilder:validation:MaxLength=512
   */
  image?: string;
  /**
   * Number of pods.
   * +kubebuilder:default=1
   * +kubebuilder:validation:Minimum=0
   */
  replicas?: int32;
  /**
   * Command of the container. Default: that of the image.
   * +kubebuilder:default={"memcached","-m=64","-v"}
   * +listType=atomic
   */
  command?: string[];
  /**
   * Port that the container listens on. Without a port there is no Service.
   * +kubebuilder:default=11211
   * +kubebuilder:validation:Minimum=1
   * +kubebuilder:validation:Maximum=65535
   */
  port?: int32;
  /**
   * User that the container runs as. Default: that of the image. If it is set, the pods satisfy the restricted Pod
   * Security Standard.
   * +kubebuilder:default=1001
   * +kubebuilder:validation:Minimum=0
   */
  runAsUser?: int64;
  /** CPU and memory requests and limits of each pod. */
  resources?: ResourceRequirements;
}

/** MemcachedStatus is the observed state. */
export interface MemcachedStatus {
  /** Generation of the spec that the controller observed. */
  observedGeneration?: int64;
  /** Number of pods. */
  replicas?: int32;
  /** Number of pods that are ready. */
  readyReplicas?: int32;
  /** Label selector of the pods, for autoscalers. */
  selector?: string;
  /** Conditions of the types Available, Progressing and Degraded. */
  conditions?: Condition[];
}

/**
 * Memcached runs an image in a Deployment, and exposes its port with a Service.
 * +kubebuilder:storageversion
 * +kubebuilder:subresource:status
 * +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
 * +kubebuilder:printcolumn:name="Image",type=string,JSONPath=`.spec.image`
 * +kubebuilder:printcolumn:name="Ready",type=integer,JSONPath=`.status.readyReplicas`
 * +kubebuilder:printcolumn:name="Available",type=string,JSONPath=`.status.conditions[?(@.type=="Available")].status`
 * +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
 * +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 63 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="metadata.name must be a valid Service name: at most 63 lowercase letters, digits and dashes, starting with a letter"
 */
export interface Memcached extends CustomResource<MemcachedSpec, MemcachedStatus> {}
export const Memcached = defineKind<Memcached>(groupVersion, {
  kind: "Memcached",
  plural: "memcacheds",
});
