import {
  Children,
  type Client,
  type Clock,
  type Context,
  findCondition,
  type Manager,
  type NamespacedName,
  pruneServicePorts,
  type Reconciler,
  type Result,
  setCondition,
} from "@tsbuilder/runtime";
import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { ConfigMap, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { Cart } from "../../api/v1/cart_types.ts";
import { deploymentFor, serviceFor, configMapFor, nameOf } from "./cart_resources.ts";

// +kubebuilder:rbac:groups=shop.example.com,resources=carts,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups=shop.example.com,resources=carts/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=shop.example.com,resources=carts/finalizers,verbs=update
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=services,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/** Reconciles what Cart objects own. */
export class CartReconciler implements Reconciler {
  readonly #client: Client;
  readonly #clock: Clock;

  constructor({ client, clock }: Manager) {
    this.#client = client;
    this.#clock = clock;
  }

  /**
   * Runs when a Cart, or an object that it owns, may have changed. The request names the object, not what
   * happened to it: compare the current state with the desired state, and make the necessary changes.
   */
  async reconcile(request: NamespacedName, { events }: Context): Promise<Result> {
    const cart = await this.#client.find(Cart, request);
    if (!cart) return;

    // A child that comes after another waits until that is ready: add it with `{ after: other }`.
    const name = nameOf(cart);
    const children = new Children(this.#client, cart, { clock: this.#clock });
    children.add(Deployment, name, deploymentFor(cart));
    children.add(Service, name, serviceFor(cart), { prepare: pruneServicePorts });
    children.add(ConfigMap, name, configMapFor(cart));
    await children.apply();

    const ready = children.condition("Ready");
    const conditions = setCondition(cart.status?.conditions, ready, this.#clock);
    await this.#client.patchStatus(Cart, cart, {
      ...cart.status,
      observedGeneration: cart.metadata.generation,
      conditions,
    });
    for (const { reason, message } of children.rejections) {
      events.warning(cart, reason, message);
    }
    return children.result(findCondition(conditions, "Ready"));
  }
}

/** Registers the controller and the kinds that it watches. */
export function setupCartController(manager: Manager): void {
  const reconciler = new CartReconciler(manager);
  manager
    .controllerFor(Cart)
    .named("cart")
    .owns(Deployment)
    .owns(Service)
    .owns(ConfigMap)
    .complete(reconciler);
}
