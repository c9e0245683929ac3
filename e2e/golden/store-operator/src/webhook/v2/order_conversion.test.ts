import { expect, test } from "vitest";
import type { Order } from "../../../api/v2/order_types.ts";
import { OrderConversion } from "./order_conversion.ts";

const order: Order = {
  apiVersion: "shop.example.com/v2",
  kind: "Order",
  metadata: { name: "test" },
  spec: {},
};
const conversion = new OrderConversion();

test("Order objects survive the round trip from v2 to v1 and back", () => {
  const { metadata } = order;
  const hub = {
    apiVersion: "shop.example.com/v1",
    kind: "Order",
    metadata,
    ...conversion.toHub(order),
  };
  expect(conversion.fromHub(hub)).toEqual({ spec: order.spec, status: order.status });
});
