import type { Conversion, Converted, Manager } from "@tsbuilder/runtime";
import { Order as OrderHub } from "../../../api/v1/order_types.ts";
import { Order } from "../../../api/v2/order_types.ts";

/**
 * Turns Order objects of v2 into v1, which the controllers work with, and back. Both ways must
 * keep everything: what one version has no field for goes into an annotation.
 */
export class OrderConversion implements Conversion<OrderHub, Order> {
  toHub({ spec, status }: Order): Converted<OrderHub> {
    return { spec, status };
  }

  fromHub({ spec, status }: OrderHub): Converted<Order> {
    return { spec, status };
  }
}

/** Serves the conversion at /convert, together with all others. */
export function setupOrderConversion(manager: Manager): void {
  const conversion = new OrderConversion();
  manager.webhookFor(OrderHub).conversion(Order, conversion).complete();
}
