/*
 * SPDX-License-Identifier: Apache-2.0
 */

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
import { Bar } from "../../../api/fiz/v1/bar_types.ts";

// +kubebuilder:rbac:groups=fiz.example.com,resources=bars,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups=fiz.example.com,resources=bars/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=fiz.example.com,resources=bars/finalizers,verbs=update
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/** Reconciles Bar objects. */
export class BarReconciler implements Reconciler {
  readonly #client: Client;
  readonly #clock: Clock;

  constructor({ client, clock }: Manager) {
    this.#client = client;
    this.#clock = clock;
  }

  /**
   * Runs when a Bar, or an object that it owns, may have changed. The request names the object, not what
   * happened to it: compare the current state with the desired state, and make the necessary changes.
   */
  async reconcile(request: NamespacedName, { log }: Context): Promise<Result> {
    const bar = await this.#client.find(Bar, request);
    if (!bar) return;

    // Add your logic here: apply the objects that bar.spec describes, with
    // `this.#client.apply(Deployment, desired, { owner: bar })`, and report their state in the status.
    // A kind that you apply is imported, here from "@tsbuilder/runtime/k8s/apps/v1", watched with
    // `.owns(Deployment)` below, and permitted by another marker above, which `npm run manifests` reads:
    // groups=apps,resources=deployments,verbs=get;list;watch;create;patch

    await this.#client.patchStatus(Bar, bar, {
      ...bar.status,
      observedGeneration: bar.metadata.generation,
      conditions: setCondition(
        bar.status?.conditions,
        {
          type: "Ready",
          status: "True",
          reason: "Reconciled",
          message: "The Bar matches its spec",
          observedGeneration: bar.metadata.generation,
        },
        this.#clock,
      ),
    });
    log.info("Reconciled Bar");
  }
}

/** Registers the controller and the kinds that it watches. */
export function setupBarController(manager: Manager): void {
  const reconciler = new BarReconciler(manager);
  manager.controllerFor(Bar).named("fiz-bar").complete(reconciler);
}
