/*
 * Copyright The platform team.
 * All rights reserved.
 */

import { type Condition, type CustomResource, defineKind, type int64 } from "@tsbuilder/runtime";
import { groupVersion } from "./groupversion_info.ts";

/** WorkspaceSpec is the desired state of Workspace. */
export interface WorkspaceSpec {
  /** An example field of Workspace: replace it with your own, and run `npm run manifests`. */
  foo?: string;
}

/** WorkspaceStatus is the observed state of Workspace. */
export interface WorkspaceStatus {
  /** Generation of the spec that the controller observed. */
  observedGeneration?: int64;
  /** Conditions, with one entry for each type. */
  conditions?: Condition[];
}

/**
 * Workspace is an API object with a spec and a status.
 * +kubebuilder:subresource:status
 * +kubebuilder:storageversion
 * +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
 * +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
 */
export interface Workspace extends CustomResource<WorkspaceSpec, WorkspaceStatus> {}
export const Workspace = defineKind<Workspace>(groupVersion, {
  kind: "Workspace",
  plural: "workspaces",
});
