import { checkRoundTrips } from "@tsbuilder/runtime/testing";
import { expect, test } from "vitest";
import { Order as OrderHub } from "../../../api/v1/order_types.ts";
import { Order } from "../../../api/v2/order_types.ts";
import { OrderConversion } from "./order_conversion.ts";

test("Order objects of v2 and v1 survive the conversion to the other version and back", async () => {
  const versions = { hub: OrderHub, spoke: Order };
  await expect(checkRoundTrips(new OrderConversion(), versions)).resolves.toBeUndefined();
});
