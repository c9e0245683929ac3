/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { type Condition, type CustomResource, defineKind, type int64 } from "@tsbuilder/runtime";
import { groupVersion } from "./groupversion_info.ts";

/** CaptainSpec is the desired state of Captain. */
export interface CaptainSpec {
  /** An example field of Captain: replace it with your own, and run `npm run manifests`. */
  foo?: string;
}

/** CaptainStatus is the observed state of Captain. */
export interface CaptainStatus {
  /** Generation of the spec that the controller observed. */
  observedGeneration?: int64;
  /** Conditions, with one entry for each type. */
  conditions?: Condition[];
}

/**
 * Captain is an API object with a spec and a status.
 * +kubebuilder:subresource:status
 * +kubebuilder:storageversion
 * +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
 * +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
 */
export interface Captain extends CustomResource<CaptainSpec, CaptainStatus> {}
export const Captain = defineKind<Captain>(groupVersion, { kind: "Captain", plural: "captains" });
