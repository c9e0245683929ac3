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
  Toleration,
  TopologySpreadConstraint,
} from "@tsbuilder/runtime/k8s/core/v1";
import { groupVersion } from "./groupversion_info.ts";

/**
 * AppServiceSpec is the desired state: an image, how it runs, and how it is exposed.
 * +kubebuilder:validation:XValidation:rule="!has(self.ports) || !self.ports.exists(port, has(port.nodePort)) || !has(self.serviceType) || self.serviceType != 'ClusterIP'",message="nodePort requires serviceType NodePort or LoadBalancer"
 * +kubebuilder:validation:XValidation:rule="!has(self.ingress) || (has(self.ports) && size(self.ports) > 0)",message="ingress requires ports"
 * +kubebuilder:validation:XValidation:rule="!has(self.autoscaling) || (has(self.resources) && has(self.resources.requests) && 'cpu' in self.resources.requests)",message="autoscaling requires resources.requests.cpu"
 */
export interface AppServiceSpec {
  /**
   * Image with its tag or digest; pods are replaced when it changes.
   * +kubebuilder:validation:MinLength=1
   * +kubebuilder:validation:MaxLength=512
   */
  image: string;
  /**
   * Number of pods. Ignored while autoscaling is set.
   * +kubebuilder:default=1
   * +kubebuilder:validation:Minimum=0
   * +kubebuilder:validation:Maximum=1000
   */
  replicas?: int32;
  /** CPU and memory requests and limits of each pod. */
  resources?: ResourceRequirements;
  /**
   * Environment variables of the container.
   * +listType=map
   * +listMapKey=name
   */
  envs?: EnvVar[];
  /** ConfigMaps and Secrets to set environment variables from. */
  envFrom?: EnvFromSource[];
  /** Command of the container. Default: that of the image. */
  command?: string[];
  /** Arguments of the command. Default: those of the image. */
  args?: string[];
  /**
   * When to pull the image.
   * +kubebuilder:default=IfNotPresent
   */
  imagePullPolicy?: "Always" | "IfNotPresent" | "Never";
  /**
   * Secrets to pull the image with.
   * +listType=map
   * +listMapKey=name
   */
  imagePullSecrets?: LocalObjectReference[];
  /**
   * Ports of the container and of the Service. Without ports there is no Service.
   * +kubebuilder:validation:MaxItems=32
   * +kubebuilder:validation:XValidation:rule="size(self) <= 1 || self.all(port, has(port.name) && size(port.name) > 0)",message="if there are several ports, each needs a name"
   * +kubebuilder:validation:XValidation:rule="self.all(a, self.exists_one(b, a.port == b.port && a.protocol == b.protocol))",message="the combination of port and protocol must be unique"
   * +kubebuilder:validation:XValidation:rule="self.all(a, !has(a.name) || self.exists_one(b, has(b.name) && a.name == b.name))",message="the names of ports must be unique"
   * +kubebuilder:validation:XValidation:rule="self.all(a, !has(a.targetPort) || type(a.targetPort) == int || self.exists(b, has(b.name) && b.name == a.targetPort && b.protocol == a.protocol && (!has(b.targetPort) || type(b.targetPort) == int || b.targetPort == b.name)))",message="a named targetPort must be the name of a port with a numeric targetPort"
   */
  ports?: AppPort[];
  /** Type of the Service. Default: NodePort if a port has a nodePort, otherwise ClusterIP. */
  serviceType?: "ClusterIP" | "NodePort" | "LoadBalancer";
  /** Exposes the first port outside of the cluster over HTTP. */
  ingress?: AppIngress;
  /** Scales the number of pods with their load, instead of replicas. */
  autoscaling?: Autoscaling;
  /** Probes of the container. */
  probes?: Probes;
  /**
   * Environment variables, stored in a ConfigMap; pods are replaced when they change.
   * +kubebuilder:validation:MaxProperties=256
   * +kubebuilder:validation:XValidation:rule="self.all(name, name.matches('^[-._a-zA-Z0-9]{1,253}$'))",message="names consist of letters, digits, _, . and -"
   */
  config?: Record<string, string>;
  /**
   * Volumes, mounted in the container.
   * +kubebuilder:validation:MaxItems=16
   * +kubebuilder:validation:XValidation:rule="self.all(a, self.exists_one(b, a.mountPath == b.mountPath))",message="each volume needs a mountPath of its own"
   * +listType=map
   * +listMapKey=name
   */
  volumes?: AppVolume[];
  /**
   * Labels of the nodes that pods may run on.
   * +kubebuilder:validation:MaxProperties=16
   */
  nodeSelector?: Record<string, string>;
  /** Taints of nodes that don't keep pods away. */
  tolerations?: Toleration[];
  /**
   * How pods are spread over nodes or zones.
   * +listType=map
   * +listMapKey=topologyKey
   * +listMapKey=whenUnsatisfiable
   */
  topologySpreadConstraints?: TopologySpreadConstraint[];
  /**
   * ServiceAccount of the pods. Default: the default ServiceAccount of the namespace.
   * +kubebuilder:validation:MaxLength=253
   */
  serviceAccountName?: string;
  /** With restricted, the pods satisfy the restricted Pod Security Standard; many public images don't. */
  podSecurity?: "restricted" | "none";
  /** Pauses reconciliation; the status has the condition Paused. */
  paused?: boolean;
}

/** AppPort is a port of the container and of the Service. */
export interface AppPort {
  /**
   * Name of the port, required if there are several ports.
   * +kubebuilder:validation:MaxLength=15
   * +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
   * +kubebuilder:validation:XValidation:rule="self.matches('[a-z]') && !self.contains('--')",message="port names contain a letter, and no two dashes in a row"
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
   * +kubebuilder:validation:XValidation:rule="type(self) == int ? (self >= 1 && self <= 65535) : self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="targetPort must be a number from 1 to 65535, or a name"
   */
  targetPort?: IntOrString;
  /**
   * Protocol of the port.
   * +kubebuilder:default=TCP
   */
  protocol?: "TCP" | "UDP" | "SCTP";
  /**
   * Port on every node; requires a Service of type NodePort or LoadBalancer.
   * +kubebuilder:validation:Minimum=30000
   * +kubebuilder:validation:Maximum=32767
   */
  nodePort?: int32;
}

/**
 * AppVolume is a claim, a Secret, a ConfigMap, or an empty folder that lives as long as its pod.
 * +kubebuilder:validation:XValidation:rule="[has(self.claim), has(self.secret), has(self.configMap), has(self.emptyDir) && self.emptyDir].filter(given, given).size() == 1",message="a volume is one of claim, secret, configMap and emptyDir"
 */
export interface AppVolume {
  /**
   * +kubebuilder:validation:MaxLength=50
   * +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
   */
  name: string;
  /**
   * Path in the container.
   * +kubebuilder:validation:MaxLength=256
   * +kubebuilder:validation:Pattern=`^/[^:]*$`
   */
  mountPath: string;
  /** Mounts the volume read-only. */
  readOnly?: boolean;
  /**
   * Name of a PersistentVolumeClaim.
   * +kubebuilder:validation:MinLength=1
   * +kubebuilder:validation:MaxLength=253
   */
  claim?: string;
  /**
   * Name of a Secret.
   * +kubebuilder:validation:MinLength=1
   * +kubebuilder:validation:MaxLength=253
   */
  secret?: string;
  /**
   * Name of a ConfigMap.
   * +kubebuilder:validation:MinLength=1
   * +kubebuilder:validation:MaxLength=253
   */
  configMap?: string;
  /** An empty folder, which is deleted with its pod. */
  emptyDir?: boolean;
}

/** AppIngress exposes the app outside of the cluster over HTTP. */
export interface AppIngress {
  /**
   * Host name of the requests.
   * +kubebuilder:validation:MaxLength=253
   */
  host: string;
  /**
   * Path prefix of the requests.
   * +kubebuilder:default="/"
   * +kubebuilder:validation:MaxLength=1024
   * +kubebuilder:validation:Pattern=`^/`
   */
  path?: string;
  /**
   * How the path is matched.
   * +kubebuilder:default=Prefix
   */
  pathType?: "Prefix" | "Exact" | "ImplementationSpecific";
  /**
   * Ingress class. Default: the cluster's default class.
   * +kubebuilder:validation:MaxLength=253
   */
  className?: string;
  /**
   * Secret with the TLS certificate of the host. Default: plain HTTP.
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
 * Autoscaling scales the number of pods with their load.
 * +kubebuilder:validation:XValidation:rule="self.minReplicas <= self.maxReplicas",message="minReplicas is larger than maxReplicas"
 */
export interface Autoscaling {
  /**
   * Minimum number of pods.
   * +kubebuilder:default=1
   * +kubebuilder:validation:Minimum=1
   */
  minReplicas?: int32;
  /**
   * Maximum number of pods.
   * +kubebuilder:validation:Minimum=1
   */
  maxReplicas: int32;
  /**
   * Target CPU utilization, in percent of the requested CPU.
   * +kubebuilder:default=80
   * +kubebuilder:validation:Minimum=1
   */
  cpuPercent?: int32;
}

/** Probes of the container. */
export interface Probes {
  /** Restarts the container when it fails. */
  liveness?: Probe;
  /** The pod receives requests while it succeeds. Default: a TCP connection to the first port. */
  readiness?: Probe;
  /** The other probes start once it has succeeded. */
  startup?: Probe;
}

/** AppServiceStatus is the observed state. */
export interface AppServiceStatus {
  /** Generation of the spec that the controller observed. */
  observedGeneration?: int64;
  /** Number of pods. */
  replicas?: int32;
  /** Number of pods that are ready. */
  readyReplicas?: int32;
  /** Number of pods that run the current spec. */
  updatedReplicas?: int32;
  /** Number of available pods. */
  availableReplicas?: int32;
  /** Number of unavailable pods. */
  unavailableReplicas?: int32;
  /** Label selector of the pods, for autoscalers. */
  selector?: string;
  /** URL of the app: that of the ingress, or the one inside of the cluster. */
  url?: string;
  /** Node ports of the Service. */
  nodePorts?: int32[];
  /** Conditions of the types Available, Progressing and Degraded, and Paused while it is. */
  conditions?: Condition[];
}

/**
 * AppService runs an image with a Deployment, a Service, and other objects that its spec configures.
 * +kubebuilder:storageversion
 * +kubebuilder:subresource:status
 * +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
 * +kubebuilder:printcolumn:name="Image",type=string,JSONPath=`.spec.image`
 * +kubebuilder:printcolumn:name="Desired",type=integer,JSONPath=`.spec.replicas`
 * +kubebuilder:printcolumn:name="Ready",type=integer,JSONPath=`.status.readyReplicas`
 * +kubebuilder:printcolumn:name="Available",type=string,JSONPath=`.status.conditions[?(@.type=="Available")].status`
 * +kubebuilder:printcolumn:name="URL",type=string,JSONPath=`.status.url`,priority=1
 * +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
 * +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 52 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="metadata.name must be a valid Service name of at most 52 characters: lowercase letters, digits and dashes, starting with a letter"
 */
export interface AppService extends CustomResource<AppServiceSpec, AppServiceStatus> {}
export const AppService = defineKind<AppService>(groupVersion, {
  kind: "AppService",
  plural: "appservices",
});
