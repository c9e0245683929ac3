import { type Condition, type CustomResource, defineKind, type int32, type int64 } from "@tsbuilder/runtime";

export interface PoolerSpec {
  /**
   * +kubebuilder:validation:MinLength=1
   * +kubebuilder:validation:MaxLength=200
   */
  image: string;
  /**
   * +kubebuilder:validation:Minimum=1
   * +kubebuilder:validation:Maximum=10
   * +kubebuilder:default=2
   */
  replicas?: int32;
  /**
   * Days after which the password is replaced.
   * +kubebuilder:validation:Minimum=1
   * +kubebuilder:validation:Maximum=365
   * +kubebuilder:default=30
   */
  rotateAfterDays?: int32;
}

export interface PoolerStatus {
  observedGeneration?: int64;
  /** The Secret with the password. */
  secret?: string;
  conditions?: Condition[];
}

/**
 * Pooler is a Deployment of connection poolers, which log in to a database server with a password that is replaced
 * after some days, and whenever the annotation db.example.com/rotate gets another value.
 * +kubebuilder:subresource:status
 * +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 52",message="the name must have at most 52 characters"
 */
export interface Pooler extends CustomResource<PoolerSpec, PoolerStatus> {}
export const Pooler = defineKind<Pooler>(
  { group: "db.example.com", version: "v1" },
  { kind: "Pooler", plural: "poolers" },
);
