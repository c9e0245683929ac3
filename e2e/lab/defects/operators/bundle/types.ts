import { type Condition, type CustomResource, defineKind, type int32, type int64 } from "@tsbuilder/runtime";

/** A key of a ConfigMap or Secret in the trust namespace. */
export interface KeyRef {
  /** +kubebuilder:validation:MinLength=1 */
  name: string;
  /** +kubebuilder:validation:MinLength=1 */
  key: string;
}

/**
 * Where certificates come from: exactly one field is set.
 * +kubebuilder:validation:MinProperties=1
 * +kubebuilder:validation:MaxProperties=1
 */
export interface BundleSource {
  configMap?: KeyRef;
  secret?: KeyRef;
  /** +kubebuilder:validation:MinLength=1 */
  inline?: string;
}

/** A key of the objects that are written. */
export interface TargetKey {
  /**
   * +kubebuilder:validation:Pattern=`^[-._a-zA-Z0-9]+$`
   * +kubebuilder:validation:MaxLength=253
   */
  key: string;
}

/** Where certificates go: an object with the Bundle's name, in each namespace that matches. */
export interface BundleTarget {
  configMap?: TargetKey;
  secret?: TargetKey;
  /** Labels that a namespace must have; without them, all namespaces do. */
  namespaceLabels?: Record<string, string>;
}

/** BundleSpec is the desired state of Bundle. */
export interface BundleSpec {
  /**
   * +kubebuilder:validation:MinItems=1
   * +kubebuilder:validation:MaxItems=20
   */
  sources: BundleSource[];
  target: BundleTarget;
}

/** BundleStatus is the observed state of Bundle. */
export interface BundleStatus {
  /** Generation of the spec that the controller observed. */
  observedGeneration?: int64;
  /** How many namespaces have the bundle. */
  namespaces?: int32;
  /** Conditions, with one entry for each type. */
  conditions?: Condition[];
}

/**
 * Bundle is an API object with a spec and a status.
 * +kubebuilder:subresource:status
 */
export interface Bundle extends CustomResource<BundleSpec, BundleStatus> {}
export const Bundle = defineKind<Bundle>(
  { group: "trust.example.com", version: "v1alpha1" },
  {
    kind: "Bundle",
    plural: "bundles",
    scope: "Cluster",
  },
);
