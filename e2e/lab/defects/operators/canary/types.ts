import {
  type Condition,
  type CustomResource,
  defineKind,
  type int32,
  type int64,
  type Time,
} from "@tsbuilder/runtime";

export interface RolloutSpec {
  /**
   * A new image goes to the canary first.
   * +kubebuilder:validation:Pattern=`^[a-z0-9][a-z0-9./-]*(:[A-Za-z0-9_][A-Za-z0-9_.-]*)?$`
   * +kubebuilder:validation:MaxLength=200
   */
  image: string;
  /**
   * +kubebuilder:validation:Minimum=1
   * +kubebuilder:validation:Maximum=20
   * +kubebuilder:default=3
   */
  replicas?: int32;
  /**
   * Shares of the replicas that the canary gets, in percent, one after the other.
   * +kubebuilder:validation:MinItems=1
   * +kubebuilder:validation:MaxItems=5
   * +kubebuilder:validation:items:Minimum=1
   * +kubebuilder:validation:items:Maximum=100
   * +kubebuilder:default={20,50}
   * +listType=atomic
   */
  weights?: int32[];
  /**
   * Seconds for which the canary has to be ready before the next step.
   * +kubebuilder:validation:Minimum=1
   * +kubebuilder:validation:Maximum=3600
   * +kubebuilder:default=10
   */
  readySeconds?: int32;
  /**
   * Seconds after which a canary that isn't ready is rolled back.
   * +kubebuilder:validation:Minimum=30
   * +kubebuilder:validation:Maximum=3600
   * +kubebuilder:default=120
   */
  deadlineSeconds?: int32;
  /**
   * The port of the container that the Service leads to.
   * +kubebuilder:validation:Minimum=1
   * +kubebuilder:validation:Maximum=65535
   * +kubebuilder:default=8080
   */
  port?: int32;
}

/** The image that is tried, or that is being promoted. */
export interface Candidate {
  image: string;
  /** Index of its weight. */
  step: int32;
  /** Since when it isn't ready, or when the step began. */
  since: Time;
  readySince?: Time;
}

export interface RolloutStatus {
  observedGeneration?: int64;
  /** The image in production. */
  stableImage?: string;
  candidate?: Candidate;
  /** The image that was rolled back. It isn't tried again until spec.image has been another one. */
  rejectedImage?: string;
  conditions?: Condition[];
}

/**
 * Rollout runs an image in two Deployments behind one Service: a new image is the canary's until it has proved itself.
 * +kubebuilder:subresource:status
 * +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z]([-a-z0-9]{0,48}[a-z0-9])?$')",message="the name is that of a Service, of at most 50 characters"
 */
export interface Rollout extends CustomResource<RolloutSpec, RolloutStatus> {}
export const Rollout = defineKind<Rollout>(
  { group: "delivery.example.com", version: "v1" },
  { kind: "Rollout", plural: "rollouts" },
);
