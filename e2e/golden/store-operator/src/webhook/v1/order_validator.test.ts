import { admissionContext } from "@tsbuilder/runtime/testing";
import { expect, test } from "vitest";
import type { Order } from "../../../api/v1/order_types.ts";
import { OrderValidator } from "./order_validator.ts";

const order: Order = {
  apiVersion: "shop.example.com/v1",
  kind: "Order",
  metadata: { name: "test" },
  spec: {},
};
const validator = new OrderValidator();

test("a valid Order is accepted", () => {
  expect(validator.validateCreate(order, admissionContext())).toEqual([]);
});

test("a valid change is accepted", () => {
  expect(validator.validateUpdate(order, order, admissionContext())).toEqual([]);
});
