import { type Condition, type CustomResource, defineKind, type int32, type int64 } from "@tsbuilder/runtime";

export interface WebAppSpec {
  /**
   * +kubebuilder:validation:MinLength=1
   * +kubebuilder:validation:MaxLength=300
   */
  image: string;
  /**
   * Number of pods. Ignored while autoscaling is set.
   * +kubebuilder:default=1
   * +kubebuilder:validation:Minimum=0
   * +kubebuilder:validation:Maximum=20
   */
  replicas?: int32;
  /**
   * Port on which the container listens.
   * +kubebuilder:default=8080
   * +kubebuilder:validation:Minimum=1
   * +kubebuilder:validation:Maximum=65535
   */
  port?: int32;
  /**
   * Environment variables of the container. The pods are replaced when one changes.
   * +kubebuilder:validation:MaxProperties=50
   */
  settings?: Record<string, string>;
  /** Makes the app reachable from outside of the cluster. */
  ingress?: WebAppIngress;
  /** Scales the app with its load. */
  autoscaling?: WebAppAutoscaling;
  /** Leaves everything as it is. */
  paused?: boolean;
}

export interface WebAppIngress {
  /** +kubebuilder:validation:MaxLength=253 */
  host: string;
  /**
   * +kubebuilder:default="/"
   * +kubebuilder:validation:Pattern=`^/[-a-z0-9/]*$`
   * +kubebuilder:validation:MaxLength=100
   */
  path?: string;
}

/** +kubebuilder:validation:XValidation:rule="!has(self.minReplicas) || self.minReplicas <= self.maxReplicas",message="minReplicas must not be greater than maxReplicas" */
export interface WebAppAutoscaling {
  /**
   * +kubebuilder:default=1
   * +kubebuilder:validation:Minimum=1
   */
  minReplicas?: int32;
  /**
   * +kubebuilder:validation:Minimum=1
   * +kubebuilder:validation:Maximum=20
   */
  maxReplicas: int32;
}

export interface WebAppStatus {
  observedGeneration?: int64;
  /** Number of pods that are ready. */
  readyReplicas?: int32;
  conditions?: Condition[];
}

/**
 * WebApp runs an image as a Deployment behind a Service.
 * +kubebuilder:subresource:status
 * +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 50 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="metadata.name must be the name of a Service, of at most 50 characters"
 */
export interface WebApp extends CustomResource<WebAppSpec, WebAppStatus> {}
export const WebApp = defineKind<WebApp>(
  { group: "web.example.com", version: "v1" },
  { kind: "WebApp", plural: "webapps" },
);
