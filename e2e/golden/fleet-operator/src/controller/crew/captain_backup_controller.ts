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
import { Captain } from "../../../api/crew/v1/captain_types.ts";

// +kubebuilder:rbac:groups=crew.example.com,resources=captains,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups=crew.example.com,resources=captains/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=crew.example.com,resources=captains/finalizers,verbs=update
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/** Reconciles Captain objects. */
export class CaptainBackupReconciler implements Reconciler {
  readonly #client: Client;
  readonly #clock: Clock;

  constructor({ client, clock }: Manager) {
    this.#client = client;
    this.#clock = clock;
  }

  /**
   * Runs when a Captain, or an object that it owns, may have changed. The request names the object, not what
   * happened to it: compare the current state with the desired state, and make the necessary changes.
   */
  async reconcile(request: NamespacedName, { log }: Context): Promise<Result> {
    const captain = await this.#client.find(Captain, request);
    if (!captain) return;

    // Add your logic here: apply the objects that captain.spec describes, with
    // `this.#client.apply(Deployment, desired, { owner: captain })`, and report their state in the status.
    // A kind that you apply is imported, here from "@tsbuilder/runtime/k8s/apps/v1", watched with
    // `.owns(Deployment)` below, and permitted by another marker above, which `npm run manifests` reads:
    // groups=apps,resources=deployments,verbs=get;list;watch;create;patch

    await this.#client.patchStatus(Captain, captain, {
      ...captain.status,
      observedGeneration: captain.metadata.generation,
      conditions: setCondition(
        captain.status?.conditions,
        {
          type: "Ready",
          status: "True",
          reason: "Reconciled",
          message: "The Captain matches its spec",
          observedGeneration: captain.metadata.generation,
        },
        this.#clock,
      ),
    });
    log.info("Reconciled Captain");
  }
}

/** Registers the controller and the kinds that it watches. */
export function setupCaptainBackupController(manager: Manager): void {
  const reconciler = new CaptainBackupReconciler(manager);
  manager.controllerFor(Captain).named("captain-backup").complete(reconciler);
}
