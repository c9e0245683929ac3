import type { Conversion, ConvertedObject, Manager } from "@tsbuilder/runtime";
import { Invoice as InvoiceHub } from "../../../api/v1/invoice_types.ts";
import { Invoice } from "../../../api/v1beta1/invoice_types.ts";

/**
 * Converts Invoice objects from v1beta1 to v1, which the controllers use, and back. Conversions must not
 * lose data: store what a version has no field for in an annotation.
 */
export class InvoiceConversion implements Conversion<InvoiceHub, Invoice> {
  toHub({ spec, status }: Invoice): ConvertedObject<InvoiceHub> {
    return { spec, status };
  }

  fromHub({ spec, status }: InvoiceHub): ConvertedObject<Invoice> {
    return { spec, status };
  }
}

/** Serves the conversion at /convert, like all conversions. */
export function setupInvoiceConversion(manager: Manager): void {
  const conversion = new InvoiceConversion();
  manager.webhookFor(InvoiceHub).conversion(Invoice, conversion).complete();
}
