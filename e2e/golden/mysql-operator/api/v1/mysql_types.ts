/*
 * Copyright The MySQL operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */

import { type Condition, type CustomResource, defineKind, type int64 } from "@tsbuilder/runtime";
import { groupVersion } from "./groupversion_info.ts";

/** MySQLSpec is what the user asks for. */
export interface MySQLSpec {
  /** An example field of MySQL: put your own in its place, and run `npm run manifests`. */
  foo?: string;
}

/** MySQLStatus is what the controller observed. */
export interface MySQLStatus {
  /** The generation of the spec that the status was made for. */
  observedGeneration?: int64;
  /** What is the case, one entry for each type of condition. */
  conditions?: Condition[];
}

/**
 * MySQL holds what the user asks for, and what the controller made of it.
 * +kubebuilder:subresource:status
 * +kubebuilder:storageversion
 * +kubebuilder:resource:shortName=my,categories=databases
 * +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
 * +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
 */
export interface MySQL extends CustomResource<MySQLSpec, MySQLStatus> {}
export const MySQL = defineKind<MySQL>(groupVersion, { kind: "MySQL", plural: "mysqls" });
