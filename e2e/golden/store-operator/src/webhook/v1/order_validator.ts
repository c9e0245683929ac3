import type { AdmissionContext, InvalidField, Manager, Validator } from "@tsbuilder/runtime";
import { Order } from "../../../api/v1/order_types.ts";

// To validate deletions, too, add `delete` to the verbs, and a method validateDelete.
// +kubebuilder:webhook:path=/validate-shop-example-com-v1-order,mutating=false,failurePolicy=fail,sideEffects=None,groups=shop.example.com,resources=orders,verbs=create;update,versions=v1,name=vorder.v1.shop.example.com,admissionReviewVersions=v1

/** Rejects invalid Order objects for reasons that a schema can't express. */
export class OrderValidator implements Validator<Order> {
  validateCreate(order: Order, { log }: AdmissionContext): InvalidField[] {
    log.debug("Validating a new Order", { name: order.metadata.name });
    return [];
  }

  validateUpdate(order: Order, _old: Order, { log }: AdmissionContext): InvalidField[] {
    // To reject: return [{ field: "spec.foo", value, message: "must not change" }].
    // To accept with a warning: call warn("…") of the context.
    log.debug("Validating a changed Order", { name: order.metadata.name });
    return [];
  }
}

/** Serves the validator at /validate-shop-example-com-v1-order. */
export function setupOrderValidator(manager: Manager): void {
  const validator = new OrderValidator();
  manager.webhookFor(Order).validator(validator).complete();
}
