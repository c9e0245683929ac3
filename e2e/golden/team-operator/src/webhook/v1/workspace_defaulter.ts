/*
 * Copyright The platform team.
 * All rights reserved.
 */

import type { AdmissionContext, Defaulter, Manager } from "@tsbuilder/runtime";
import { Workspace } from "../../../api/v1/workspace_types.ts";

// +kubebuilder:webhook:path=/mutate-team-example-com-v1-workspace,mutating=true,failurePolicy=fail,sideEffects=None,groups=team.example.com,resources=workspaces,verbs=create;update,versions=v1,name=mworkspace.v1.team.example.com,admissionReviewVersions=v1

/** Sets the defaults of Workspace objects, before they are validated and stored. */
export class WorkspaceDefaulter implements Defaulter<Workspace> {
  default(workspace: Workspace, { log }: AdmissionContext): void {
    // workspace is a draft: change it in place, and only the changes are sent back.
    log.debug("Defaulting Workspace", { name: workspace.metadata.name });
  }
}

/** Serves the defaulter at /mutate-team-example-com-v1-workspace. */
export function setupWorkspaceDefaulter(manager: Manager): void {
  const defaulter = new WorkspaceDefaulter();
  manager.webhookFor(Workspace).defaulter(defaulter).complete();
}
