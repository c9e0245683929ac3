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

/** MemcachedSpec is what the user asks for: how many of which image, and how it runs. */
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
   * Command that the container runs; the image's own unless given.
   * +kubebuilder:default={"memcached","-m=64","-v"}
   * +listType=atomic
   */
  command?: string[];
  /**
   * Port that the container listens on; without one there is no Service.
   * +kubebuilder:default=11211
   * +kubebuilder:validation:Minimum=1
   * +kubebuilder:validation:Maximum=65535
   */
  port?: int32;
  /**
   * User that the container runs as; the image's own unless given. With one, the pods fulfil the restricted Pod
   * Security Standard.
   * +kubebuilder:default=1001
   * +kubebuilder:validation:Minimum=0
   */
  runAsUser?: int64;
  /** CPU and memory that each pod needs, and may use. */
  resources?: ResourceRequirements;
}

/** MemcachedStatus is what the controller observed. */
export interface MemcachedStatus {
  /** The generation of the spec that the status was made for. */
  observedGeneration?: int64;
  /** Number of pods. */
  replicas?: int32;
  /** Number of pods that are ready. */
  readyReplicas?: int32;
  /** Label selector of the pods, for autoscalers. */
  selector?: string;
  /** What is the case, one entry for each type of condition: Available, Progressing, Degraded. */
  conditions?: Condition[];
}

/**
 * Memcached runs an image in a Deployment, and makes its port a Service.
 * +kubebuilder:storageversion
 * +kubebuilder:subresource:status
 * +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
 * +kubebuilder:printcolumn:name="Image",type=string,JSONPath=`.spec.image`
 * +kubebuilder:printcolumn:name="Ready",type=integer,JSONPath=`.status.readyReplicas`
 * +kubebuilder:printcolumn:name="Available",type=string,JSONPath=`.status.conditions[?(@.type=="Available")].status`
 * +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
 * +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 63 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="the name is that of a Service: up to 63 letters, digits and dashes, a letter first"
 */
export interface Memcached extends CustomResource<MemcachedSpec, MemcachedStatus> {}
export const Memcached = defineKind<Memcached>(groupVersion, {
  kind: "Memcached",
  plural: "memcacheds",
});
