import { type Condition, type CustomResource, defineKind, type int64 } from "@tsbuilder/runtime";
import { groupVersion } from "./groupversion_info.ts";

/** OrderSpec is the desired state of Order. */
export interface OrderSpec {
  /** An example field of Order: replace it with your own, and run `npm run manifests`. */
  foo?: string;
}

/** OrderStatus is the observed state of Order. */
export interface OrderStatus {
  /** Generation of the spec that the controller observed. */
  observedGeneration?: int64;
  /** Conditions, with one entry for each type. */
  conditions?: Condition[];
}

/**
 * Order is an API object with a spec and a status.
 * +kubebuilder:subresource:status
 * +kubebuilder:storageversion
 * +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
 * +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
 */
export interface Order extends CustomResource<OrderSpec, OrderStatus> {}
export const Order = defineKind<Order>(groupVersion, { kind: "Order", plural: "orders" });
