/*
 * Copyright The platform team.
 * All rights reserved.
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
import { Workspace } from "../../api/v1/workspace_types.ts";

// +kubebuilder:rbac:groups=team.example.com,resources=workspaces,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups=team.example.com,resources=workspaces/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=team.example.com,resources=workspaces/finalizers,verbs=update
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/** Moves the cluster towards what each Workspace asks for. */
export class WorkspaceReconciler implements Reconciler {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * Runs when one Workspace, or something it owns, may have changed. The request says which object, not what
   * happened to it: read what is there, compare it with what is asked for, and do what is missing.
   */
  async reconcile(request: Request, { log }: Context): Promise<Result> {
    const workspace = await this.#client.find(Workspace, request);
    if (!workspace) return;

    // Here goes what makes your operator: apply the objects that workspace.spec asks for, with
    // `this.#client.apply(Deployment, desired, { owner: workspace })`, and tell in the status how far they are.
    // A kind that you apply is imported, here from "@tsbuilder/runtime/k8s/apps/v1", watched with
    // `.owns(Deployment)` below, and permitted by one more marker above, which `npm run manifests` reads:
    // groups=apps,resources=deployments,verbs=get;list;watch;create;patch

    await this.#client.patchStatus(Workspace, workspace, {
      ...workspace.status,
      observedGeneration: workspace.metadata.generation,
      conditions: setCondition(workspace.status?.conditions, {
        type: "Ready",
        status: "True",
        reason: "Reconciled",
        message: "The Workspace is as it was asked for",
        observedGeneration: workspace.metadata.generation,
      }),
    });
    log.info("Reconciled Workspace");
  }
}

/** Connects the reconciler with the objects that it watches. */
export function setupWorkspaceController(manager: Manager): void {
  const reconciler = new WorkspaceReconciler(manager.client);
  manager.controllerFor(Workspace).named("workspace").complete(reconciler);
}
