/*
 * Copyright The platform team.
 * All rights reserved.
 */

import { type Condition, type CustomResource, defineKind, type int64 } from "@tsbuilder/runtime";
import { groupVersion } from "./groupversion_info.ts";

/** TenantSpec is the desired state of Tenant. */
export interface TenantSpec {
  /** An example field of Tenant: replace it with your own, and run `npm run manifests`. */
  foo?: string;
}

/** TenantStatus is the observed state of Tenant. */
export interface TenantStatus {
  /** Generation of the spec that the controller observed. */
  observedGeneration?: int64;
  /** Conditions, with one entry for each type. */
  conditions?: Condition[];
}

/**
 * Tenant is an API object with a spec and a status.
 * +kubebuilder:subresource:status
 * +kubebuilder:storageversion
 * +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
 * +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
 */
export interface Tenant extends CustomResource<TenantSpec, TenantStatus> {}
export const Tenant = defineKind<Tenant>(groupVersion, {
  kind: "Tenant",
  plural: "tenants",
  scope: "Cluster",
});
