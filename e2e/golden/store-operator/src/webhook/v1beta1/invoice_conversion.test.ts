import { checkRoundTrip } from "@tsbuilder/runtime/testing";
import { expect, test } from "vitest";
import type { Invoice } from "../../../api/v1beta1/invoice_types.ts";
import { InvoiceConversion } from "./invoice_conversion.ts";

const invoice: Invoice = {
  apiVersion: "shop.example.com/v1beta1",
  kind: "Invoice",
  metadata: { name: "test" },
  spec: {},
};

test("Invoice objects survive the round trip from v1beta1 to v1 and back", () => {
  expect(() => checkRoundTrip(new InvoiceConversion(), invoice)).not.toThrow();
});
