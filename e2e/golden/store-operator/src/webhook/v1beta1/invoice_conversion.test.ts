import { checkRoundTrips } from "@tsbuilder/runtime/testing";
import { expect, test } from "vitest";
import { Invoice as InvoiceHub } from "../../../api/v1/invoice_types.ts";
import { Invoice } from "../../../api/v1beta1/invoice_types.ts";
import { InvoiceConversion } from "./invoice_conversion.ts";

test("Invoice objects of v1beta1 and v1 survive the conversion to the other version and back", async () => {
  const versions = { hub: InvoiceHub, spoke: Invoice };
  await expect(checkRoundTrips(new InvoiceConversion(), versions)).resolves.toBeUndefined();
});
