/*
 * Copyright The platform team.
 * All rights reserved.
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
import { Workspace } from "../../api/v1/workspace_types.ts";

// +kubebuilder:rbac:groups=team.example.com,resources=workspaces,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups=team.example.com,resources=workspaces/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=team.example.com,resources=workspaces/finalizers,verbs=update
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/** Reconciles Workspace objects. */
export class WorkspaceReconciler implements Reconciler {
  readonly #client: Client;
  readonly #clock: Clock;

  constructor({ client, clock }: Manager) {
    this.#client = client;
    this.#clock = clock;
  }

  /**
   * Runs when a Workspace, or an object that it owns, may have changed. The request names the object, not what
   * happened to it: compare the current state with the desired state, and make the necessary changes.
   */
  async reconcile(request: NamespacedName, { log }: Context): Promise<Result> {
    const workspace = await this.#client.find(Workspace, request);
    if (!workspace) return;

    // Add your logic here: apply the objects that workspace.spec describes, with
    // `this.#client.apply(Deployment, desired, { owner: workspace })`, and report their state in the status.
    // A kind that you apply is imported, here from "@tsbuilder/runtime/k8s/apps/v1", watched with
    // `.owns(Deployment)` below, and permitted by another marker above, which `npm run manifests` reads:
    // groups=apps,resources=deployments,verbs=get;list;watch;create;patch

    await this.#client.patchStatus(Workspace, workspace, {
      ...workspace.status,
      observedGeneration: workspace.metadata.generation,
      conditions: setCondition(
        workspace.status?.conditions,
        {
          type: "Ready",
          status: "True",
          reason: "Reconciled",
          message: "The Workspace matches its spec",
          observedGeneration: workspace.metadata.generation,
        },
        this.#clock,
      ),
    });
    log.info("Reconciled Workspace");
  }
}

/** Registers the controller and the kinds that it watches. */
export function setupWorkspaceController(manager: Manager): void {
  const reconciler = new WorkspaceReconciler(manager);
  manager.controllerFor(Workspace).named("workspace").complete(reconciler);
}
