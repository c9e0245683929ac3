import { type Condition, type CustomResource, defineKind, type int32, type int64 } from "@tsbuilder/runtime";

export interface TenantSpec {
  /**
   * The namespaces of the tenant. Each is called by the tenant's name and this one. What leaves the list is deleted,
   * with all that is in it.
   * +listType=set
   * +kubebuilder:validation:MinItems=1
   * +kubebuilder:validation:MaxItems=8
   * +kubebuilder:validation:items:Pattern=`^[a-z0-9]+$`
   * +kubebuilder:validation:items:MaxLength=20
   */
  namespaces: string[];
  /**
   * Users who may work in the namespaces.
   * +listType=set
   * +kubebuilder:validation:MaxItems=20
   * +kubebuilder:validation:items:MinLength=1
   * +kubebuilder:validation:items:MaxLength=100
   */
  members?: string[];
  /**
   * The rights of the members.
   * +kubebuilder:default=edit
   */
  role?: "admin" | "edit" | "view";
  /** The resources that each namespace may use. Without it, there is no limit. */
  quota?: TenantQuota;
  /**
   * Namespaces whose pods may connect to those of the tenant. Without any, nobody may.
   * +listType=set
   * +kubebuilder:validation:MaxItems=10
   * +kubebuilder:validation:items:Pattern=`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`
   * +kubebuilder:validation:items:MaxLength=63
   */
  allowFrom?: string[];
}

export interface TenantQuota {
  /**
   * +kubebuilder:validation:Minimum=1
   * +kubebuilder:validation:Maximum=1000
   */
  pods: int32;
  /**
   * Cores that all pods of a namespace request together.
   * +kubebuilder:validation:Minimum=1
   * +kubebuilder:validation:Maximum=500
   */
  cpu?: int32;
}

export interface TenantStatus {
  observedGeneration?: int64;
  /** The namespaces that are there, by their whole names. */
  namespaces?: string[];
  conditions?: Condition[];
}

/**
 * Tenant is a team that shares the cluster with others: its namespaces, and what its members may do there.
 * +kubebuilder:resource:scope=Cluster
 * +kubebuilder:subresource:status
 */
export interface Tenant extends CustomResource<TenantSpec, TenantStatus> {}
export const Tenant = defineKind<Tenant>(
  { group: "tenancy.example.com", version: "v1" },
  { kind: "Tenant", plural: "tenants", scope: "Cluster" },
);
