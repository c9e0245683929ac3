import {
  type Client,
  type Context,
  type Manager,
  type Reconciler,
  type Request,
  type Result,
  setCondition,
} from "@tsbuilder/runtime";
import { Order } from "../../api/v1/order_types.ts";

// +kubebuilder:rbac:groups=shop.example.com,resources=orders,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups=shop.example.com,resources=orders/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=shop.example.com,resources=orders/finalizers,verbs=update
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/** Moves the cluster towards what each Order asks for. */
export class OrderReconciler implements Reconciler {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * Runs when one Order, or something it owns, may have changed. The request says which object, not what
   * happened to it: read what is there, compare it with what is asked for, and do what is missing.
   */
  async reconcile(request: Request, { log }: Context): Promise<Result> {
    const order = await this.#client.find(Order, request);
    if (!order) return;

    // Here goes what makes your operator: apply the objects that order.spec asks for, with
    // `this.#client.apply(Deployment, desired, { owner: order })`, and tell in the status how far they are.
    // A kind that you apply is imported, here from "@tsbuilder/runtime/k8s/apps/v1", watched with
    // `.owns(Deployment)` below, and permitted by one more marker above, which `npm run manifests` reads:
    // groups=apps,resources=deployments,verbs=get;list;watch;create;patch

    await this.#client.patchStatus(Order, order, {
      ...order.status,
      observedGeneration: order.metadata.generation,
      conditions: setCondition(order.status?.conditions, {
        type: "Ready",
        status: "True",
        reason: "Reconciled",
        message: "The Order is as it was asked for",
        observedGeneration: order.metadata.generation,
      }),
    });
    log.info("Reconciled Order");
  }
}

/** Connects the reconciler with the objects that it watches. */
export function setupOrderController(manager: Manager): void {
  const reconciler = new OrderReconciler(manager.client);
  manager.controllerFor(Order).named("order").complete(reconciler);
}
