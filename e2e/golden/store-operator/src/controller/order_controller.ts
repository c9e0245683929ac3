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
import { Order } from "../../api/v1/order_types.ts";

// +kubebuilder:rbac:groups=shop.example.com,resources=orders,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups=shop.example.com,resources=orders/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=shop.example.com,resources=orders/finalizers,verbs=update
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/** Reconciles Order objects. */
export class OrderReconciler implements Reconciler {
  readonly #client: Client;
  readonly #clock: Clock;

  constructor({ client, clock }: Manager) {
    this.#client = client;
    this.#clock = clock;
  }

  /**
   * Runs when a Order, or an object that it owns, may have changed. The request names the object, not what
   * happened to it: compare the current state with the desired state, and make the necessary changes.
   */
  async reconcile(request: NamespacedName, { log }: Context): Promise<Result> {
    const order = await this.#client.find(Order, request);
    if (!order) return;

    // Add your logic here: apply the objects that order.spec describes, with
    // `this.#client.apply(Deployment, desired, { owner: order })`, and report their state in the status.
    // A kind that you apply is imported, here from "@tsbuilder/runtime/k8s/apps/v1", watched with
    // `.owns(Deployment)` below, and permitted by another marker above, which `npm run manifests` reads:
    // groups=apps,resources=deployments,verbs=get;list;watch;create;patch

    await this.#client.patchStatus(Order, order, {
      ...order.status,
      observedGeneration: order.metadata.generation,
      conditions: setCondition(
        order.status?.conditions,
        {
          type: "Ready",
          status: "True",
          reason: "Reconciled",
          message: "The Order matches its spec",
          observedGeneration: order.metadata.generation,
        },
        this.#clock,
      ),
    });
    log.info("Reconciled Order");
  }
}

/** Registers the controller and the kinds that it watches. */
export function setupOrderController(manager: Manager): void {
  const reconciler = new OrderReconciler(manager);
  manager.controllerFor(Order).named("order").complete(reconciler);
}
