/*
 * SPDX-License-Identifier: Apache-2.0
 */

import {
  type Condition,
  type CustomResource,
  defineKind,
  type int32,
  type int64,
  type IntOrString,
} from "@tsbuilder/runtime";
import type {
  EnvFromSource,
  EnvVar,
  LocalObjectReference,
  Probe,
  ResourceRequirements,
} from "@tsbuilder/runtime/k8s/core/v1";
import { groupVersion } from "./groupversion_info.ts";

/**
 * AppServiceSpec is what the user asks for: one image, and how it is run and reached.
 * +kubebuilder:validation:XValidation:rule="!has(self.ports) || !self.ports.exists(port, has(port.nodePort)) || !has(self.serviceType) || self.serviceType != 'ClusterIP'",message="a nodePort needs serviceType NodePort or LoadBalancer"
 * +kubebuilder:validation:XValidation:rule="!has(self.ingress) || (has(self.ports) && size(self.ports) > 0)",message="ingress needs ports"
 * +kubebuilder:validation:XValidation:rule="!has(self.autoscaling) || (has(self.resources) && has(self.resources.requests) && 'cpu' in self.resources.requests)",message="autoscaling needs resources.requests.cpu"
 */
export interface AppServiceSpec {
  /**
   * +kubebuilder:validation:MinLength=1
   * +kubebuilder:validation:MaxLength=512
   */
  image: string;
  /**
   * Number of pods. It does not count while autoscaling is set.
   * +kubebuilder:default=1
   * +kubebuilder:validation:Minimum=0
   * +kubebuilder:validation:Maximum=1000
   */
  replicas?: int32;
  resources?: ResourceRequirements;
  /**
   * Environment of the container.
   * +listType=map
   * +listMapKey=name
   */
  envs?: EnvVar[];
  envFrom?: EnvFromSource[];
  command?: string[];
  args?: string[];
  /** +kubebuilder:default=IfNotPresent */
  imagePullPolicy?: "Always" | "IfNotPresent" | "Never";
  imagePullSecrets?: LocalObjectReference[];
  /**
   * Ports of the container and of the Service; without one there is no Service.
   * +kubebuilder:validation:MaxItems=32
   * +kubebuilder:validation:XValidation:rule="size(self) <= 1 || self.all(port, has(port.name) && size(port.name) > 0)",message="with several ports, each needs a name"
   * +kubebuilder:validation:XValidation:rule="self.all(a, self.exists_one(b, a.port == b.port && a.protocol == b.protocol))",message="a port and its protocol stand once"
   * +kubebuilder:validation:XValidation:rule="self.all(a, !has(a.name) || self.exists_one(b, has(b.name) && a.name == b.name))",message="a port's name stands once"
   * +kubebuilder:validation:XValidation:rule="self.all(a, !has(a.targetPort) || type(a.targetPort) == int || self.exists(b, has(b.name) && b.name == a.targetPort && b.protocol == a.protocol && (!has(b.targetPort) || type(b.targetPort) == int || b.targetPort == b.name)))",message="a targetPort that is a name is the name of a port that has a number"
   */
  ports?: AppPort[];
  /** NodePort if a port has a nodePort, ClusterIP otherwise. */
  serviceType?: "ClusterIP" | "NodePort" | "LoadBalancer";
  ingress?: AppIngress;
  autoscaling?: Autoscaling;
  probes?: Probes;
  /**
   * Values for the container's environment, kept in a ConfigMap; pods are replaced when they change.
   * +kubebuilder:validation:MaxProperties=256
   */
  config?: Record<string, string>;
  /** +kubebuilder:validation:MaxLength=253 */
  serviceAccountName?: string;
  /** With restricted, the pods fulfil the restricted pod security standard; many images of the Hub don't start then. */
  podSecurity?: "restricted" | "none";
  /** Leaves everything as it is while true. */
  paused?: boolean;
}

/** AppPort is one port. */
export interface AppPort {
  /**
   * +kubebuilder:validation:MaxLength=15
   * +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
   */
  name?: string;
  /**
   * Port of the Service.
   * +kubebuilder:validation:Minimum=1
   * +kubebuilder:validation:Maximum=65535
   */
  port: int32;
  /**
   * Port of the container: a number, or the name of one of these ports; the same as the Service's unless said otherwise.
   * +kubebuilder:validation:MaxLength=15
   * +kubebuilder:validation:XValidation:rule="type(self) == int ? (self >= 1 && self <= 65535) : self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="a port is a number from 1 to 65535 or a name"
   */
  targetPort?: IntOrString;
  /** +kubebuilder:default=TCP */
  protocol?: "TCP" | "UDP" | "SCTP";
  /**
   * +kubebuilder:validation:Minimum=30000
   * +kubebuilder:validation:Maximum=32767
   */
  nodePort?: int32;
}

/** AppIngress is how the app is reached from outside over HTTP. */
export interface AppIngress {
  /** +kubebuilder:validation:MaxLength=253 */
  host: string;
  /**
   * +kubebuilder:default="/"
   * +kubebuilder:validation:MaxLength=1024
   * +kubebuilder:validation:Pattern=`^/`
   */
  path?: string;
  /** +kubebuilder:default=Prefix */
  pathType?: "Prefix" | "Exact" | "ImplementationSpecific";
  /** +kubebuilder:validation:MaxLength=253 */
  className?: string;
  /** +kubebuilder:validation:MaxLength=253 */
  tlsSecretName?: string;
  /** +kubebuilder:validation:MaxProperties=64 */
  annotations?: Record<string, string>;
}

/**
 * Autoscaling lets the number of pods follow their load.
 * +kubebuilder:validation:XValidation:rule="self.minReplicas <= self.maxReplicas",message="minReplicas is larger than maxReplicas"
 */
export interface Autoscaling {
  /**
   * +kubebuilder:default=1
   * +kubebuilder:validation:Minimum=1
   */
  minReplicas?: int32;
  /** +kubebuilder:validation:Minimum=1 */
  maxReplicas: int32;
  /**
   * +kubebuilder:default=80
   * +kubebuilder:validation:Minimum=1
   */
  cpuPercent?: int32;
}

/** Probes of the container. */
export interface Probes {
  liveness?: Probe;
  /** A connection to the first port unless given. */
  readiness?: Probe;
  startup?: Probe;
}

/** AppServiceStatus is what the controller observed. */
export interface AppServiceStatus {
  observedGeneration?: int64;
  replicas?: int32;
  readyReplicas?: int32;
  updatedReplicas?: int32;
  availableReplicas?: int32;
  unavailableReplicas?: int32;
  /** Label selector of the pods, for autoscalers. */
  selector?: string;
  /** Where the app is reached: by the ingress, else inside of the cluster. */
  url?: string;
  nodePorts?: int32[];
  conditions?: Condition[];
}

/**
 * AppService runs an image: a Deployment, a Service, and what else its spec asks for.
 * +kubebuilder:storageversion
 * +kubebuilder:subresource:status
 * +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
 * +kubebuilder:printcolumn:name="Image",type=string,JSONPath=`.spec.image`
 * +kubebuilder:printcolumn:name="Desired",type=integer,JSONPath=`.spec.replicas`
 * +kubebuilder:printcolumn:name="Ready",type=integer,JSONPath=`.status.readyReplicas`
 * +kubebuilder:printcolumn:name="Available",type=string,JSONPath=`.status.conditions[?(@.type=="Available")].status`
 * +kubebuilder:printcolumn:name="URL",type=string,JSONPath=`.status.url`,priority=1
 * +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
 * +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 52 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="the name is that of a Service and of a container: up to 52 letters, digits and dashes, a letter first"
 */
export interface AppService extends CustomResource<AppServiceSpec, AppServiceStatus> {}
export const AppService = defineKind<AppService>(groupVersion, {
  kind: "AppService",
  plural: "appservices",
});
