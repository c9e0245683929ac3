/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { type Condition, type CustomResource, defineKind, type int64 } from "@tsbuilder/runtime";
import { groupVersion } from "./groupversion_info.ts";

/** KrakenSpec is the desired state of Kraken. */
export interface KrakenSpec {
  /** An example field of Kraken: replace it with your own, and run `npm run manifests`. */
  foo?: string;
}

/** KrakenStatus is the observed state of Kraken. */
export interface KrakenStatus {
  /** Generation of the spec that the controller observed. */
  observedGeneration?: int64;
  /** Conditions, with one entry for each type. */
  conditions?: Condition[];
}

/**
 * Kraken is an API object with a spec and a status.
 * +kubebuilder:subresource:status
 * +kubebuilder:storageversion
 * +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
 * +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
 */
export interface Kraken extends CustomResource<KrakenSpec, KrakenStatus> {}
export const Kraken = defineKind<Kraken>(groupVersion, { kind: "Kraken", plural: "krakens" });
