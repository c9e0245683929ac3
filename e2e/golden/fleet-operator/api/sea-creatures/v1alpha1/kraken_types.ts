/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { type Condition, type CustomResource, defineKind, type int64 } from "@tsbuilder/runtime";
import { groupVersion } from "./groupversion_info.ts";

/** KrakenSpec is what the user asks for. */
export interface KrakenSpec {
  /** An example field of Kraken: put your own in its place, and run `npm run manifests`. */
  foo?: string;
}

/** KrakenStatus is what the controller observed. */
export interface KrakenStatus {
  /** The generation of the spec that the status was made for. */
  observedGeneration?: int64;
  /** What is the case, one entry for each type of condition. */
  conditions?: Condition[];
}

/**
 * Kraken holds what the user asks for, and what the controller made of it.
 * +kubebuilder:subresource:status
 * +kubebuilder:storageversion
 * +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
 * +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
 */
export interface Kraken extends CustomResource<KrakenSpec, KrakenStatus> {}
export const Kraken = defineKind<Kraken>(groupVersion, { kind: "Kraken", plural: "krakens" });
