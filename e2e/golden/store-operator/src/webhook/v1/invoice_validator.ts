import type { AdmissionContext, InvalidField, Manager, Validator } from "@tsbuilder/runtime";
import { Invoice } from "../../../api/v1/invoice_types.ts";

// To validate deletions, too, add `delete` to the verbs, and a method validateDelete.
// +kubebuilder:webhook:path=/check-invoice,mutating=false,failurePolicy=fail,sideEffects=None,groups=shop.example.com,resources=invoices,verbs=create;update,versions=v1,name=vinvoice.v1.shop.example.com,admissionReviewVersions=v1

/** Rejects invalid Invoice objects for reasons that a schema can't express. */
export class InvoiceValidator implements Validator<Invoice> {
  validateCreate(invoice: Invoice, { log }: AdmissionContext): InvalidField[] {
    log.debug("Validating a new Invoice", { name: invoice.metadata.name });
    return [];
  }

  validateUpdate(invoice: Invoice, _old: Invoice, { log }: AdmissionContext): InvalidField[] {
    // To reject: return [{ field: "spec.foo", value, message: "must not change" }].
    // To accept with a warning: call warn("…") of the context.
    log.debug("Validating a changed Invoice", { name: invoice.metadata.name });
    return [];
  }
}

/** Serves the validator at /check-invoice. */
export function setupInvoiceValidator(manager: Manager): void {
  const validator = new InvoiceValidator();
  manager.webhookFor(Invoice).validator(validator, { path: "/check-invoice" }).complete();
}
