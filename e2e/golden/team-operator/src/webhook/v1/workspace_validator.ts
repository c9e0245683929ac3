/*
 * Copyright The platform team.
 * All rights reserved.
 */

import type { AdmissionContext, InvalidField, Manager, Validator } from "@tsbuilder/runtime";
import { Workspace } from "../../../api/v1/workspace_types.ts";

// To validate deletions, too, add `delete` to the verbs, and a method validateDelete.
// +kubebuilder:webhook:path=/validate-team-example-com-v1-workspace,mutating=false,failurePolicy=fail,sideEffects=None,groups=team.example.com,resources=workspaces,verbs=create;update,versions=v1,name=vworkspace.v1.team.example.com,admissionReviewVersions=v1

/** Rejects invalid Workspace objects for reasons that a schema can't express. */
export class WorkspaceValidator implements Validator<Workspace> {
  validateCreate(workspace: Workspace, { log }: AdmissionContext): InvalidField[] {
    log.debug("Validating a new Workspace", { name: workspace.metadata.name });
    return [];
  }

  validateUpdate(workspace: Workspace, _old: Workspace, { log }: AdmissionContext): InvalidField[] {
    // To reject: return [{ field: "spec.foo", value, message: "must not change" }].
    // To accept with a warning: call warn("…") of the context.
    log.debug("Validating a changed Workspace", { name: workspace.metadata.name });
    return [];
  }
}

/** Serves the validator at /validate-team-example-com-v1-workspace. */
export function setupWorkspaceValidator(manager: Manager): void {
  const validator = new WorkspaceValidator();
  manager.webhookFor(Workspace).validator(validator).complete();
}
