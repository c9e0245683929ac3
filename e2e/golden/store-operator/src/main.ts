import { Manager } from "@tsbuilder/runtime";
import { setupOrderController } from "./controller/order_controller.ts";
import { setupOrderDefaulter } from "./webhook/v1/order_defaulter.ts";
import { setupOrderValidator } from "./webhook/v1/order_validator.ts";
import { setupOrderConversion as setupV2OrderConversion } from "./webhook/v2/order_conversion.ts";
import { setupInvoiceController } from "./controller/invoice_controller.ts";
import { setupInvoiceValidator } from "./webhook/v1/invoice_validator.ts";
import { setupInvoiceConversion as setupV1beta1InvoiceConversion } from "./webhook/v1beta1/invoice_conversion.ts";
import { setupCartController } from "./controller/cart_controller.ts";
// +tsbuilder:scaffold:imports

// The library provides flags (`npm run build && npm start -- --help`), probes, metrics, leader election and TLS.
const manager = Manager.fromArgs({
  name: "store-operator",
  leaderElectionId: "2ae34121.example.com",
});

setupOrderController(manager);
setupOrderDefaulter(manager);
setupOrderValidator(manager);
setupV2OrderConversion(manager);
setupInvoiceController(manager);
setupInvoiceValidator(manager);
setupV1beta1InvoiceConversion(manager);
setupCartController(manager);
// +tsbuilder:scaffold:setup

// Resolves after SIGTERM, once running reconciles have finished.
await manager.start();
