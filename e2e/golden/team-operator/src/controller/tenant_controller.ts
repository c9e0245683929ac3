/*
 * Copyright The platform team.
 * All rights reserved.
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
import { Tenant } from "../../api/v1/tenant_types.ts";

// +kubebuilder:rbac:groups=team.example.com,resources=tenants,verbs=get;list;watch;create;update;patch;delete,roleName=manager-cluster-role
// +kubebuilder:rbac:groups=team.example.com,resources=tenants/status,verbs=get;update;patch,roleName=manager-cluster-role
// +kubebuilder:rbac:groups=team.example.com,resources=tenants/finalizers,verbs=update,roleName=manager-cluster-role
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch,roleName=manager-cluster-role

/** Reconciles Tenant objects. */
export class TenantReconciler implements Reconciler {
  readonly #client: Client;
  readonly #clock: Clock;

  constructor({ client, clock }: Manager) {
    this.#client = client;
    this.#clock = clock;
  }

  /**
   * Runs when a Tenant, or an object that it owns, may have changed. The request names the object, not what
   * happened to it: compare the current state with the desired state, and make the necessary changes.
   */
  async reconcile(request: ClusterScopedName, { log }: Context): Promise<Result> {
    const tenant = await this.#client.find(Tenant, request);
    if (!tenant) return;

    // Add your logic here: apply the objects that tenant.spec describes, with
    // `this.#client.apply(Deployment, desired, { owner: tenant })`, and report their state in the status.
    // A kind that you apply is imported, here from "@tsbuilder/runtime/k8s/apps/v1", watched with
    // `.owns(Deployment)` below, and permitted by another marker above, which `npm run manifests` reads:
    // groups=apps,resources=deployments,verbs=get;list;watch;create;patch

    await this.#client.patchStatus(Tenant, tenant, {
      ...tenant.status,
      observedGeneration: tenant.metadata.generation,
      conditions: setCondition(
        tenant.status?.conditions,
        {
          type: "Ready",
          status: "True",
          reason: "Reconciled",
          message: "The Tenant matches its spec",
          observedGeneration: tenant.metadata.generation,
        },
        this.#clock,
      ),
    });
    log.info("Reconciled Tenant");
  }
}

/** Registers the controller and the kinds that it watches. */
export function setupTenantController(manager: Manager): void {
  const reconciler = new TenantReconciler(manager);
  manager.controllerFor(Tenant).named("tenant").complete(reconciler);
}
