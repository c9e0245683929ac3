/*
 * SPDX-License-Identifier: Apache-2.0
 */

import {
  type Client,
  type Context,
  type Manager,
  type Reconciler,
  type Request,
  type Result,
  setCondition,
} from "@tsbuilder/runtime";
import { Frigate } from "../../../api/ship/v1beta1/frigate_types.ts";

// +kubebuilder:rbac:groups=ship.example.com,resources=frigates,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups=ship.example.com,resources=frigates/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=ship.example.com,resources=frigates/finalizers,verbs=update
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/** Moves the cluster towards what each Frigate asks for. */
export class FrigateReconciler implements Reconciler {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * Runs when one Frigate, or something it owns, may have changed. The request says which object, not what
   * happened to it: read what is there, compare it with what is asked for, and do what is missing.
   */
  async reconcile(request: Request, { log }: Context): Promise<Result> {
    const frigate = await this.#client.find(Frigate, request);
    if (!frigate) return;

    // Here goes what makes your operator: apply the objects that frigate.spec asks for, with
    // `this.#client.apply(Deployment, desired, { owner: frigate })`, and tell in the status how far they are.
    // A kind that you apply is imported, here from "@tsbuilder/runtime/k8s/apps/v1", watched with
    // `.owns(Deployment)` below, and permitted by one more marker above, which `npm run manifests` reads:
    // groups=apps,resources=deployments,verbs=get;list;watch;create;patch

    await this.#client.patchStatus(Frigate, frigate, {
      ...frigate.status,
      observedGeneration: frigate.metadata.generation,
      conditions: setCondition(frigate.status?.conditions, {
        type: "Ready",
        status: "True",
        reason: "Reconciled",
        message: "The Frigate is as it was asked for",
        observedGeneration: frigate.metadata.generation,
      }),
    });
    log.info("Reconciled Frigate");
  }
}

/** Connects the reconciler with the objects that it watches. */
export function setupFrigateController(manager: Manager): void {
  const reconciler = new FrigateReconciler(manager.client);
  manager.controllerFor(Frigate).named("ship-frigate").complete(reconciler);
}
