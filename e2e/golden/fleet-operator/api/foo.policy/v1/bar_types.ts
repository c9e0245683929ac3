/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { type Condition, type CustomResource, defineKind, type int64 } from "@tsbuilder/runtime";
import { groupVersion } from "./groupversion_info.ts";

/** BarSpec is the desired state of Bar. */
export interface BarSpec {
  /** An example field of Bar: replace it with your own, and run `npm run manifests`. */
  foo?: string;
}

/** BarStatus is the observed state of Bar. */
export interface BarStatus {
  /** Generation of the spec that the controller observed. */
  observedGeneration?: int64;
  /** Conditions, with one entry for each type. */
  conditions?: Condition[];
}

/**
 * Bar is an API object with a spec and a status.
 * +kubebuilder:subresource:status
 * +kubebuilder:storageversion
 * +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
 * +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
 */
export interface Bar extends CustomResource<BarSpec, BarStatus> {}
export const Bar = defineKind<Bar>(groupVersion, { kind: "Bar", plural: "bars" });
