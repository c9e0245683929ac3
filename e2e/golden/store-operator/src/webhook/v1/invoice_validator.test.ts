import { admissionContext } from "@tsbuilder/runtime/testing";
import { expect, test } from "vitest";
import type { Invoice } from "../../../api/v1/invoice_types.ts";
import { InvoiceValidator } from "./invoice_validator.ts";

const invoice: Invoice = {
  apiVersion: "shop.example.com/v1",
  kind: "Invoice",
  metadata: { name: "test" },
  spec: {},
};
const validator = new InvoiceValidator();

test("a valid Invoice is accepted", () => {
  expect(validator.validateCreate(invoice, admissionContext())).toEqual([]);
});

test("a valid change is accepted", () => {
  expect(validator.validateUpdate(invoice, invoice, admissionContext())).toEqual([]);
});
