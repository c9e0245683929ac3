/*
 * Copyright The MySQL operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */

import { type Condition, type CustomResource, defineKind, type int64 } from "@tsbuilder/runtime";
import { groupVersion } from "./groupversion_info.ts";

/** MySQLSpec is the desired state of MySQL. */
export interface MySQLSpec {
  /** An example field of MySQL: replace it with your own, and run `npm run manifests`. */
  foo?: string;
}

/** MySQLStatus is the observed state of MySQL. */
export interface MySQLStatus {
  /** Generation of the spec that the controller observed. */
  observedGeneration?: int64;
  /** Conditions, with one entry for each type. */
  conditions?: Condition[];
}

/**
 * MySQL is an API object with a spec and a status.
 * +kubebuilder:subresource:status
 * +kubebuilder:storageversion
 * +kubebuilder:resource:shortName=my,categories=databases
 * +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
 * +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
 */
export interface MySQL extends CustomResource<MySQLSpec, MySQLStatus> {}
export const MySQL = defineKind<MySQL>(groupVersion, { kind: "MySQL", plural: "mysqls" });
