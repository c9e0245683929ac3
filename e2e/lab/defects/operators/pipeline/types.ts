import {
  type Condition,
  type CustomResource,
  defineKind,
  type int32,
  type int64,
  type Time,
} from "@tsbuilder/runtime";

/** A step is a Job. */
export interface PipelineStep {
  /**
   * +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
   * +kubebuilder:validation:MaxLength=30
   */
  name: string;
  /** +kubebuilder:validation:MinLength=1 */
  image: string;
  command?: string[];
  /**
   * How often a failed pod is replaced.
   * +kubebuilder:validation:Minimum=0
   * +kubebuilder:validation:Maximum=10
   */
  retries?: int32;
}

/** PipelineSpec is the desired state of Pipeline. A change of steps, params or run begins a new run. */
export interface PipelineSpec {
  /**
   * Steps run one after the other.
   * +listType=map
   * +listMapKey=name
   * +kubebuilder:validation:MinItems=1
   * +kubebuilder:validation:MaxItems=20
   */
  steps: PipelineStep[];
  /**
   * Environment variables of all steps.
   * +kubebuilder:validation:MaxProperties=30
   * +kubebuilder:validation:XValidation:rule="self.all(k, k.matches('^[A-Za-z_][A-Za-z0-9_]*$'))",message="params must be names of environment variables"
   */
  params?: Record<string, string>;
  /**
   * Any text; another one begins another run.
   * +kubebuilder:validation:MaxLength=100
   */
  run?: string;
  /**
   * How long a step may take.
   * +kubebuilder:validation:Minimum=1
   */
  stepTimeoutSeconds?: int32;
  /**
   * When the Jobs of a finished run are deleted. Default: never.
   * +kubebuilder:validation:Minimum=0
   */
  ttlSeconds?: int32;
  /**
   * The topic of the report service that shows how the run is.
   * +kubebuilder:validation:Pattern=`^[a-z0-9-]+$`
   * +kubebuilder:validation:MaxLength=40
   */
  reportTopic?: string;
}

/** The last report to the service. */
export interface PipelineReport {
  topic: string;
  /** Missing while it isn't known whether the service was told. */
  told?: string;
}

/** PipelineStatus is the observed state of Pipeline. */
export interface PipelineStatus {
  /** Generation of the spec that the controller observed. */
  observedGeneration?: int64;
  /** The run that the other fields tell of. */
  run?: string;
  /** Steps of the run that are done. */
  completedSteps?: string[];
  /** The step that is executed, or failed. */
  step?: string;
  finishedAt?: Time;
  report?: PipelineReport;
  /** Conditions, with one entry for each type. */
  conditions?: Condition[];
}

/**
 * Pipeline is an API object with a spec and a status.
 * +kubebuilder:subresource:status
 */
export interface Pipeline extends CustomResource<PipelineSpec, PipelineStatus> {}
export const Pipeline = defineKind<Pipeline>(
  { group: "flow.example.com", version: "v1" },
  {
    kind: "Pipeline",
    plural: "pipelines",
  },
);
