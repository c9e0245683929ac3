/*
 * Copyright The platform team.
 * All rights reserved.
 */

import { type Condition, type CustomResource, defineKind, type int64 } from "@tsbuilder/runtime";
import { groupVersion } from "./groupversion_info.ts";

/** WorkspaceSpec is what the user asks for. */
export interface WorkspaceSpec {
  /** An example field of Workspace: put your own in its place, and run `npm run manifests`. */
  foo?: string;
}

/** WorkspaceStatus is what the controller observed. */
export interface WorkspaceStatus {
  /** The generation of the spec that the status was made for. */
  observedGeneration?: int64;
  /** What is the case, one entry for each type of condition. */
  conditions?: Condition[];
}

/**
 * Workspace holds what the user asks for, and what the controller made of it.
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
