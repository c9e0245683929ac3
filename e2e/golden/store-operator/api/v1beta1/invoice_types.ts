import { type Condition, type CustomResource, defineKind, type int64 } from "@tsbuilder/runtime";
import { groupVersion } from "./groupversion_info.ts";

/** InvoiceSpec is what the user asks for. */
export interface InvoiceSpec {
  /** An example field of Invoice: put your own in its place, and run `npm run manifests`. */
  foo?: string;
}

/** InvoiceStatus is what the controller observed. */
export interface InvoiceStatus {
  /** The generation of the spec that the status was made for. */
  observedGeneration?: int64;
  /** What is the case, one entry for each type of condition. */
  conditions?: Condition[];
}

/**
 * Invoice holds what the user asks for, and what the controller made of it.
 * +kubebuilder:subresource:status
 * +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
 * +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
 */
export interface Invoice extends CustomResource<InvoiceSpec, InvoiceStatus> {}
export const Invoice = defineKind<Invoice>(groupVersion, { kind: "Invoice", plural: "invoices" });
