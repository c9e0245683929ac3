import type { AdmissionContext, Defaulter, Manager } from "@tsbuilder/runtime";
import { Order } from "../../../api/v1/order_types.ts";

// +kubebuilder:webhook:path=/mutate-shop-example-com-v1-order,mutating=true,failurePolicy=fail,sideEffects=None,groups=shop.example.com,resources=orders,verbs=create;update,versions=v1,name=morder.v1.shop.example.com,admissionReviewVersions=v1

/** Sets the defaults of Order objects, before they are validated and stored. */
export class OrderDefaulter implements Defaulter<Order> {
  default(order: Order, { log }: AdmissionContext): void {
    // order is a draft: change it in place, and only the changes are sent back.
    log.debug("Defaulting Order", { name: order.metadata.name });
  }
}

/** Serves the defaulter at /mutate-shop-example-com-v1-order. */
export function setupOrderDefaulter(manager: Manager): void {
  const defaulter = new OrderDefaulter();
  manager.webhookFor(Order).defaulter(defaulter).complete();
}
