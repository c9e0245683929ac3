import { admissionContext } from "@tsbuilder/runtime/testing";
import { expect, test } from "vitest";
import type { Order } from "../../../api/v1/order_types.ts";
import { OrderDefaulter } from "./order_defaulter.ts";

const order: Order = {
  apiVersion: "shop.example.com/v1",
  kind: "Order",
  metadata: { name: "test" },
  spec: {},
};

test("Order objects with all fields set are not changed", () => {
  const draft = structuredClone(order);
  new OrderDefaulter().default(draft, admissionContext());
  expect(draft).toEqual(order);
});
