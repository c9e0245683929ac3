import type { Conversion, Converted, Manager } from "@tsbuilder/runtime";
import { Invoice as InvoiceHub } from "../../../api/v1/invoice_types.ts";
import { Invoice } from "../../../api/v1beta1/invoice_types.ts";

/**
 * Turns Invoice objects of v1beta1 into v1, which the controllers work with, and back. Both ways must
 * keep everything: what one version has no field for goes into an annotation.
 */
export class InvoiceConversion implements Conversion<InvoiceHub, Invoice> {
  toHub({ spec, status }: Invoice): Converted<InvoiceHub> {
    return { spec, status };
  }

  fromHub({ spec, status }: InvoiceHub): Converted<Invoice> {
    return { spec, status };
  }
}

/** Serves the conversion at /convert, together with all others. */
export function setupInvoiceConversion(manager: Manager): void {
  const conversion = new InvoiceConversion();
  manager.webhookFor(InvoiceHub).conversion(Invoice, conversion).complete();
}
