/*
 * SPDX-License-Identifier: Apache-2.0
 */

import type {
  Client,
  Context,
  Manager,
  NamespacedName,
  Reconciler,
  Result,
} from "@tsbuilder/runtime";
import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";

// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups=apps,resources=deployments/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=apps,resources=deployments/finalizers,verbs=update
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/** Reconciles Deployment objects. */
export class DeploymentReconciler implements Reconciler {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * Runs when a Deployment may have changed. The request names the object, not what happened to it: compare the
   * current state with the desired state, and make the necessary changes.
   */
  async reconcile(request: NamespacedName, { log }: Context): Promise<Result> {
    const deployment = await this.#client.find(Deployment, request);
    if (!deployment) return;

    // Add your logic here.

    log.info("Reconciled Deployment", { generation: deployment.metadata.generation });
  }
}

/** Registers the controller and the kinds that it watches. */
export function setupDeploymentController(manager: Manager): void {
  const reconciler = new DeploymentReconciler(manager.client);
  manager.controllerFor(Deployment).named("apps-deployment").complete(reconciler);
}
