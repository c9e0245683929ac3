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
import { Bar } from "../../../api/foo.policy/v1/bar_types.ts";

// +kubebuilder:rbac:groups=foo.policy.example.com,resources=bars,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups=foo.policy.example.com,resources=bars/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=foo.policy.example.com,resources=bars/finalizers,verbs=update
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/** Moves the cluster towards what each Bar asks for. */
export class BarReconciler implements Reconciler {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * Runs when one Bar, or something it owns, may have changed. The request says which object, not what
   * happened to it: read what is there, compare it with what is asked for, and do what is missing.
   */
  async reconcile(request: Request, { log }: Context): Promise<Result> {
    const bar = await this.#client.find(Bar, request);
    if (!bar) return;

    // Here goes what makes your operator: apply the objects that bar.spec asks for, with
    // `this.#client.apply(Deployment, desired, { owner: bar })`, and tell in the status how far they are.
    // A kind that you apply is imported, here from "@tsbuilder/runtime/k8s/apps/v1", watched with
    // `.owns(Deployment)` below, and permitted by one more marker above, which `npm run manifests` reads:
    // groups=apps,resources=deployments,verbs=get;list;watch;create;patch

    await this.#client.patchStatus(Bar, bar, {
      ...bar.status,
      observedGeneration: bar.metadata.generation,
      conditions: setCondition(bar.status?.conditions, {
        type: "Ready",
        status: "True",
        reason: "Reconciled",
        message: "The Bar is as it was asked for",
        observedGeneration: bar.metadata.generation,
      }),
    });
    log.info("Reconciled Bar");
  }
}

/** Connects the reconciler with the objects that it watches. */
export function setupBarController(manager: Manager): void {
  const reconciler = new BarReconciler(manager.client);
  manager.controllerFor(Bar).named("foo-policy-bar").complete(reconciler);
}
