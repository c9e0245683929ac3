/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { type Condition, type CustomResource, defineKind, type int64 } from "@tsbuilder/runtime";
import { groupVersion } from "./groupversion_info.ts";

/** FrigateSpec is the desired state of Frigate. */
export interface FrigateSpec {
  /** An example field of Frigate: replace it with your own, and run `npm run manifests`. */
  foo?: string;
}

/** FrigateStatus is the observed state of Frigate. */
export interface FrigateStatus {
  /** Generation of the spec that the controller observed. */
  observedGeneration?: int64;
  /** Conditions, with one entry for each type. */
  conditions?: Condition[];
}

/**
 * Frigate is an API object with a spec and a status.
 * +kubebuilder:subresource:status
 * +kubebuilder:storageversion
 * +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
 * +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
 */
export interface Frigate extends CustomResource<FrigateSpec, FrigateStatus> {}
export const Frigate = defineKind<Frigate>(groupVersion, {
  kind: "Frigate",
  plural: "frigates",
  scope: "Cluster",
});
