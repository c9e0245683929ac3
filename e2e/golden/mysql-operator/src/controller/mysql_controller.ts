/*
 * Copyright The MySQL operator authors.
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
import { MySQL } from "../../api/v1/mysql_types.ts";

// +kubebuilder:rbac:groups=apps.example.com,resources=mysqls,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups=apps.example.com,resources=mysqls/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=apps.example.com,resources=mysqls/finalizers,verbs=update
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/** Reconciles MySQL objects. */
export class MySQLReconciler implements Reconciler {
  readonly #client: Client;
  readonly #clock: Clock;

  constructor({ client, clock }: Manager) {
    this.#client = client;
    this.#clock = clock;
  }

  /**
   * Runs when a MySQL, or an object that it owns, may have changed. The request names the object, not what
   * happened to it: compare the current state with the desired state, and make the necessary changes.
   */
  async reconcile(request: NamespacedName, { log }: Context): Promise<Result> {
    const mysql = await this.#client.find(MySQL, request);
    if (!mysql) return;

    // Add your logic here: apply the objects that mysql.spec describes, with
    // `this.#client.apply(Deployment, desired, { owner: mysql })`, and report their state in the status.
    // A kind that you apply is imported, here from "@tsbuilder/runtime/k8s/apps/v1", watched with
    // `.owns(Deployment)` below, and permitted by another marker above, which `npm run manifests` reads:
    // groups=apps,resources=deployments,verbs=get;list;watch;create;patch

    await this.#client.patchStatus(MySQL, mysql, {
      ...mysql.status,
      observedGeneration: mysql.metadata.generation,
      conditions: setCondition(
        mysql.status?.conditions,
        {
          type: "Ready",
          status: "True",
          reason: "Reconciled",
          message: "The MySQL matches its spec",
          observedGeneration: mysql.metadata.generation,
        },
        this.#clock,
      ),
    });
    log.info("Reconciled MySQL");
  }
}

/** Registers the controller and the kinds that it watches. */
export function setupMySQLController(manager: Manager): void {
  const reconciler = new MySQLReconciler(manager);
  manager.controllerFor(MySQL).named("mysql").complete(reconciler);
}
