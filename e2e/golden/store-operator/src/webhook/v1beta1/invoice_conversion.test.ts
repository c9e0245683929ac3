import { expect, test } from "vitest";
import type { Invoice } from "../../../api/v1beta1/invoice_types.ts";
import { InvoiceConversion } from "./invoice_conversion.ts";

const invoice: Invoice = {
  apiVersion: "shop.example.com/v1beta1",
  kind: "Invoice",
  metadata: { name: "test" },
  spec: {},
};
const conversion = new InvoiceConversion();

test("Invoice objects survive the round trip from v1beta1 to v1 and back", () => {
  const { metadata } = invoice;
  const hub = {
    apiVersion: "shop.example.com/v1",
    kind: "Invoice",
    metadata,
    ...conversion.toHub(invoice),
  };
  expect(conversion.fromHub(hub)).toEqual({ spec: invoice.spec, status: invoice.status });
});
