/*
 * SPDX-License-Identifier: Apache-2.0
 */

import {
  type Client,
  type Clock,
  type Context,
  type Manager,
  type ClusterScopedName,
  type Reconciler,
  type Result,
  setCondition,
} from "@tsbuilder/runtime";
import { Frigate } from "../../../api/ship/v1beta1/frigate_types.ts";

// +kubebuilder:rbac:groups=ship.example.com,resources=frigates,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups=ship.example.com,resources=frigates/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=ship.example.com,resources=frigates/finalizers,verbs=update
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/** Reconciles Frigate objects. */
export class FrigateReconciler implements Reconciler {
  readonly #client: Client;
  readonly #clock: Clock;

  constructor({ client, clock }: Manager) {
    this.#client = client;
    this.#clock = clock;
  }

  /**
   * Runs when a Frigate, or an object that it owns, may have changed. The request names the object, not what
   * happened to it: compare the current state with the desired state, and make the necessary changes.
   */
  async reconcile(request: ClusterScopedName, { log }: Context): Promise<Result> {
    const frigate = await this.#client.find(Frigate, request);
    if (!frigate) return;

    // Add your logic here: apply the objects that frigate.spec describes, with
    // `this.#client.apply(Deployment, desired, { owner: frigate })`, and report their state in the status.
    // A kind that you apply is imported, here from "@tsbuilder/runtime/k8s/apps/v1", watched with
    // `.owns(Deployment)` below, and permitted by another marker above, which `npm run manifests` reads:
    // groups=apps,resources=deployments,verbs=get;list;watch;create;patch

    await this.#client.patchStatus(Frigate, frigate, {
      ...frigate.status,
      observedGeneration: frigate.metadata.generation,
      conditions: setCondition(
        frigate.status?.conditions,
        {
          type: "Ready",
          status: "True",
          reason: "Reconciled",
          message: "The Frigate matches its spec",
          observedGeneration: frigate.metadata.generation,
        },
        this.#clock,
      ),
    });
    log.info("Reconciled Frigate");
  }
}

/** Registers the controller and the kinds that it watches. */
export function setupFrigateController(manager: Manager): void {
  const reconciler = new FrigateReconciler(manager);
  manager.controllerFor(Frigate).named("ship-frigate").complete(reconciler);
}
