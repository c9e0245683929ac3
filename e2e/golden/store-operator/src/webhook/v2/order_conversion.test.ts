import { checkRoundTrip } from "@tsbuilder/runtime/testing";
import { expect, test } from "vitest";
import type { Order } from "../../../api/v2/order_types.ts";
import { OrderConversion } from "./order_conversion.ts";

const order: Order = {
  apiVersion: "shop.example.com/v2",
  kind: "Order",
  metadata: { name: "test" },
  spec: {},
};

test("Order objects survive the round trip from v2 to v1 and back", () => {
  expect(() => checkRoundTrip(new OrderConversion(), order)).not.toThrow();
});
