import { type Condition, type CustomResource, defineKind, type int64 } from "@tsbuilder/runtime";
import { groupVersion } from "./groupversion_info.ts";

/** InvoiceSpec is the desired state of Invoice. */
export interface InvoiceSpec {
  /** An example field of Invoice: replace it with your own, and run `npm run manifests`. */
  foo?: string;
}

/** InvoiceStatus is the observed state of Invoice. */
export interface InvoiceStatus {
  /** Generation of the spec that the controller observed. */
  observedGeneration?: int64;
  /** Conditions, with one entry for each type. */
  conditions?: Condition[];
}

/**
 * Invoice is an API object with a spec and a status.
 * +kubebuilder:subresource:status
 * +kubebuilder:storageversion
 * +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
 * +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
 */
export interface Invoice extends CustomResource<InvoiceSpec, InvoiceStatus> {}
export const Invoice = defineKind<Invoice>(groupVersion, { kind: "Invoice", plural: "invoices" });
