import {
  type Condition,
  type CustomResource,
  defineKind,
  type int32,
  type int64,
  type Time,
} from "@tsbuilder/runtime";

/**
 * WorkerSpec is the desired state of Worker.
 * +kubebuilder:validation:XValidation:rule="!has(self.minReplicas) || self.minReplicas <= self.maxReplicas",message="minReplicas must not exceed maxReplicas"
 */
export interface WorkerSpec {
  /** +kubebuilder:validation:MinLength=1 */
  image: string;
  /**
   * The queue whose messages are worked on.
   * +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
   * +kubebuilder:validation:MaxLength=60
   */
  queue: string;
  /** +kubebuilder:validation:Minimum=0 */
  minReplicas?: int32;
  /**
   * +kubebuilder:validation:Minimum=1
   * +kubebuilder:validation:Maximum=100
   */
  maxReplicas: int32;
  /**
   * How many waiting messages a replica is meant for.
   * +kubebuilder:validation:Minimum=1
   */
  messagesPerReplica?: int32;
  /**
   * How many messages a replica works on at once: the broker sends no more.
   * +kubebuilder:validation:Minimum=1
   */
  prefetch?: int32;
  /**
   * How long fewer replicas must be enough before there are fewer.
   * +kubebuilder:validation:Minimum=0
   */
  cooldownSeconds?: int32;
  /** The Secret whose key `token` the workers show to the broker. */
  tokenSecret?: string;
  env?: Record<string, string>;
}

/** WorkerStatus is the observed state of Worker. */
export interface WorkerStatus {
  /** Generation of the spec that the controller observed. */
  observedGeneration?: int64;
  replicas?: int32;
  readyReplicas?: int32;
  /** Since when fewer replicas would be enough. */
  lowSince?: Time;
  /** Conditions, with one entry for each type. */
  conditions?: Condition[];
}

/**
 * Worker is an API object with a spec and a status.
 * +kubebuilder:subresource:status
 */
export interface Worker extends CustomResource<WorkerSpec, WorkerStatus> {}
export const Worker = defineKind<Worker>(
  { group: "jobs.example.com", version: "v1" },
  { kind: "Worker", plural: "workers" },
);
