import { type Condition, type CustomResource, defineKind, type int64 } from "@tsbuilder/runtime";
import { groupVersion } from "./groupversion_info.ts";

/** OrderSpec is what the user asks for. */
export interface OrderSpec {
  /** An example field of Order: put your own in its place, and run `npm run manifests`. */
  foo?: string;
}

/** OrderStatus is what the controller observed. */
export interface OrderStatus {
  /** The generation of the spec that the status was made for. */
  observedGeneration?: int64;
  /** What is the case, one entry for each type of condition. */
  conditions?: Condition[];
}

/**
 * Order holds what the user asks for, and what the controller made of it.
 * +kubebuilder:subresource:status
 * +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
 * +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
 */
export interface Order extends CustomResource<OrderSpec, OrderStatus> {}
export const Order = defineKind<Order>(groupVersion, { kind: "Order", plural: "orders" });
