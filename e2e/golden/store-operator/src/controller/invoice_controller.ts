import {
  type Client,
  type Clock,
  type Context,
  type Manager,
  type NamespacedName,
  type Reconciler,
  type Result,
  setCondition,
} from "@tsbuilder/runtime";
import { Invoice } from "../../api/v1/invoice_types.ts";

// +kubebuilder:rbac:groups=shop.example.com,resources=invoices,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups=shop.example.com,resources=invoices/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=shop.example.com,resources=invoices/finalizers,verbs=update
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/** Reconciles Invoice objects. */
export class InvoiceReconciler implements Reconciler {
  readonly #client: Client;
  readonly #clock: Clock;

  constructor({ client, clock }: Manager) {
    this.#client = client;
    this.#clock = clock;
  }

  /**
   * Runs when a Invoice, or an object that it owns, may have changed. The request names the object, not what
   * happened to it: compare the current state with the desired state, and make the necessary changes.
   */
  async reconcile(request: NamespacedName, { log }: Context): Promise<Result> {
    const invoice = await this.#client.find(Invoice, request);
    if (!invoice) return;

    // Add your logic here: apply the objects that invoice.spec describes, with
    // `this.#client.apply(Deployment, desired, { owner: invoice })`, and report their state in the status.
    // A kind that you apply is imported, here from "@tsbuilder/runtime/k8s/apps/v1", watched with
    // `.owns(Deployment)` below, and permitted by another marker above, which `npm run manifests` reads:
    // groups=apps,resources=deployments,verbs=get;list;watch;create;patch

    await this.#client.patchStatus(Invoice, invoice, {
      ...invoice.status,
      observedGeneration: invoice.metadata.generation,
      conditions: setCondition(
        invoice.status?.conditions,
        {
          type: "Ready",
          status: "True",
          reason: "Reconciled",
          message: "The Invoice matches its spec",
          observedGeneration: invoice.metadata.generation,
        },
        this.#clock,
      ),
    });
    log.info("Reconciled Invoice");
  }
}

/** Registers the controller and the kinds that it watches. */
export function setupInvoiceController(manager: Manager): void {
  const reconciler = new InvoiceReconciler(manager);
  manager.controllerFor(Invoice).named("invoice").complete(reconciler);
}
