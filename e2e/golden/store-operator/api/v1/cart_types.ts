import { type Condition, type CustomResource, defineKind, type int64 } from "@tsbuilder/runtime";
import { groupVersion } from "./groupversion_info.ts";

/** CartSpec is the desired state of Cart. */
export interface CartSpec {
  /** An example field of Cart: replace it with your own, and run `npm run manifests`. */
  foo?: string;
}

/** CartStatus is the observed state of Cart. */
export interface CartStatus {
  /** Generation of the spec that the controller observed. */
  observedGeneration?: int64;
  /** Conditions, with one entry for each type. */
  conditions?: Condition[];
}

/**
 * Cart is an API object with a spec and a status.
 * +kubebuilder:subresource:status
 * +kubebuilder:storageversion
 * +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
 * +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
 */
export interface Cart extends CustomResource<CartSpec, CartStatus> {}
export const Cart = defineKind<Cart>(groupVersion, { kind: "Cart", plural: "carts" });
