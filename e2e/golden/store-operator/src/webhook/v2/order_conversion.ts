import type { Conversion, ConvertedObject, Manager } from "@tsbuilder/runtime";
import { Order as OrderHub } from "../../../api/v1/order_types.ts";
import { Order } from "../../../api/v2/order_types.ts";

/**
 * Converts Order objects from v2 to v1, which the controllers use, and back. Conversions must not
 * lose data: store what a version has no field for in an annotation.
 */
export class OrderConversion implements Conversion<OrderHub, Order> {
  toHub({ spec, status }: Order): ConvertedObject<OrderHub> {
    return { spec, status };
  }

  fromHub({ spec, status }: OrderHub): ConvertedObject<Order> {
    return { spec, status };
  }
}

/** Serves the conversion at /convert, like all conversions. */
export function setupOrderConversion(manager: Manager): void {
  const conversion = new OrderConversion();
  manager.webhookFor(OrderHub).conversion(Order, conversion).complete();
}
