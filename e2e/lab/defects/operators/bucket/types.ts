import { type Condition, type CustomResource, defineKind, type int32, type int64 } from "@tsbuilder/runtime";

export interface BucketSpec {
  /**
   * +kubebuilder:validation:Enum=eu;us
   * +kubebuilder:default=eu
   * +kubebuilder:validation:XValidation:rule="self == oldSelf",message="a bucket can't move"
   */
  region?: string;
  /**
   * Days after which objects are deleted. Never, if it isn't set.
   * +kubebuilder:validation:Minimum=1
   * +kubebuilder:validation:Maximum=365
   */
  expireAfterDays?: int32;
}

export interface BucketStatus {
  observedGeneration?: int64;
  /** Where the bucket is. */
  url?: string;
  conditions?: Condition[];
}

/**
 * Bucket is a bucket of an object store that is reached by HTTP, with a ConfigMap that says where it is.
 * +kubebuilder:subresource:status
 */
export interface Bucket extends CustomResource<BucketSpec, BucketStatus> {}
export const Bucket = defineKind<Bucket>(
  { group: "store.example.com", version: "v1" },
  { kind: "Bucket", plural: "buckets" },
);
