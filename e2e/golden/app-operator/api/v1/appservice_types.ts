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
   * Image with its tag or digest; pods are replaced when it changes.
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
  /** CPU and memory that each pod needs, and may use. */
  resources?: ResourceRequirements;
  /**
   * Environment of the container.
   * +listType=map
   * +listMapKey=name
   */
  envs?: EnvVar[];
  /** ConfigMaps and Secrets whose entries are variables, too. */
  envFrom?: EnvFromSource[];
  /** Command that the container runs; the image's own unless given. */
  command?: string[];
  /** Arguments of the command; the image's own unless given. */
  args?: string[];
  /**
   * When the image is pulled.
   * +kubebuilder:default=IfNotPresent
   */
  imagePullPolicy?: "Always" | "IfNotPresent" | "Never";
  /** Secrets to pull the image with. */
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
  /** Makes the first port reachable from outside over HTTP. */
  ingress?: AppIngress;
  /** Lets the number of pods follow their load, in place of replicas. */
  autoscaling?: Autoscaling;
  /** How the container is asked whether it works. */
  probes?: Probes;
  /**
   * Values for the container's environment, kept in a ConfigMap; pods are replaced when they change.
   * +kubebuilder:validation:MaxProperties=256
   * +kubebuilder:validation:XValidation:rule="self.all(name, name.matches('^[-._a-zA-Z0-9]{1,253}$'))",message="a value's name has letters, digits, _, . and -"
   */
  config?: Record<string, string>;
  /**
   * Account that the pods run as; the namespace's default unless given.
   * +kubebuilder:validation:MaxLength=253
   */
  serviceAccountName?: string;
  /** With restricted, the pods fulfil the restricted pod security standard; many images of the Hub don't start then. */
  podSecurity?: "restricted" | "none";
  /** Leaves everything as it is while true. */
  paused?: boolean;
}

/** AppPort is one port. */
export interface AppPort {
  /**
   * Name of the port; with several ports, each needs one.
   * +kubebuilder:validation:MaxLength=15
   * +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
   * +kubebuilder:validation:XValidation:rule="self.matches('[a-z]') && !self.contains('--')",message="a port's name has a letter, and no two dashes in a row"
   */
  name?: string;
  /**
   * Port of the Service.
   * +kubebuilder:validation:Minimum=1
   * +kubebuilder:validation:Maximum=65535
   */
  port: int32;
  /**
   * Port of the container: a number, or the name of one of these ports. Default: the Service's port.
   * +kubebuilder:validation:MaxLength=15
   * +kubebuilder:validation:XValidation:rule="type(self) == int ? (self >= 1 && self <= 65535) : self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="a port is a number from 1 to 65535 or a name"
   */
  targetPort?: IntOrString;
  /**
   * Protocol of the port.
   * +kubebuilder:default=TCP
   */
  protocol?: "TCP" | "UDP" | "SCTP";
  /**
   * Port of every node that leads here; it makes the Service one of type NodePort.
   * +kubebuilder:validation:Minimum=30000
   * +kubebuilder:validation:Maximum=32767
   */
  nodePort?: int32;
}

/** AppIngress is how the app is reached from outside over HTTP. */
export interface AppIngress {
  /**
   * Host name that requests are for.
   * +kubebuilder:validation:MaxLength=253
   */
  host: string;
  /**
   * Path that requests begin with.
   * +kubebuilder:default="/"
   * +kubebuilder:validation:MaxLength=1024
   * +kubebuilder:validation:Pattern=`^/`
   */
  path?: string;
  /**
   * How the path is compared.
   * +kubebuilder:default=Prefix
   */
  pathType?: "Prefix" | "Exact" | "ImplementationSpecific";
  /**
   * Class of the ingress; the cluster's default unless given.
   * +kubebuilder:validation:MaxLength=253
   */
  className?: string;
  /**
   * Secret with the certificate of the host; without one it is plain HTTP.
   * +kubebuilder:validation:MaxLength=253
   */
  tlsSecretName?: string;
  /**
   * Annotations of the ingress, for its controller.
   * +kubebuilder:validation:MaxProperties=64
   */
  annotations?: Record<string, string>;
}

/**
 * Autoscaling lets the number of pods follow their load.
 * +kubebuilder:validation:XValidation:rule="self.minReplicas <= self.maxReplicas",message="minReplicas is larger than maxReplicas"
 */
export interface Autoscaling {
  /**
   * Fewest pods.
   * +kubebuilder:default=1
   * +kubebuilder:validation:Minimum=1
   */
  minReplicas?: int32;
  /**
   * Most pods.
   * +kubebuilder:validation:Minimum=1
   */
  maxReplicas: int32;
  /**
   * Share of the requested CPU that the pods are kept at.
   * +kubebuilder:default=80
   * +kubebuilder:validation:Minimum=1
   */
  cpuPercent?: int32;
}

/** Probes of the container. */
export interface Probes {
  /** The container is restarted when it fails. */
  liveness?: Probe;
  /** The pod gets requests while it holds; a connection to the first port unless given. */
  readiness?: Probe;
  /** The other probes wait for it. */
  startup?: Probe;
}

/** AppServiceStatus is what the controller observed. */
export interface AppServiceStatus {
  /** The generation of the spec that the status was made for. */
  observedGeneration?: int64;
  /** Number of pods. */
  replicas?: int32;
  /** Number of pods that are ready. */
  readyReplicas?: int32;
  /** Number of pods that are of the spec as it is now. */
  updatedReplicas?: int32;
  /** Number of pods that have been ready for long enough. */
  availableReplicas?: int32;
  /** Number of pods that are missing. */
  unavailableReplicas?: int32;
  /** Label selector of the pods, for autoscalers. */
  selector?: string;
  /** Where the app is reached: by the ingress, else inside of the cluster. */
  url?: string;
  /** Ports of the nodes that lead to the app. */
  nodePorts?: int32[];
  /** What is the case, one entry for each type of condition: Available, Progressing, Degraded. */
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
