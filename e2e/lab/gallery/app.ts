import { type Condition, type CustomResource, defineKind, type int32, type int64 } from "@tsbuilder/runtime";

/** The spec of the kind that the gallery's operators reconcile. */
export interface AppSpec {
  /**
   * +kubebuilder:validation:MaxLength=400
   */
  message: string;
  /** +kubebuilder:validation:MaxLength=400 */
  extra?: string;
  /**
   * +kubebuilder:default=1
   * +kubebuilder:validation:Minimum=0
   * +kubebuilder:validation:Maximum=5
   */
  size?: int32;
  /**
   * +kubebuilder:validation:Minimum=1
   * +kubebuilder:validation:Maximum=65535
   */
  port?: int32;
}

export interface AppStatus {
  observedGeneration?: int64;
  phase?: string;
  size?: int32;
  syncedAt?: string;
  conditions?: Condition[];
}

/**
 * App is the kind of the gallery's operators.
 * +kubebuilder:subresource:status
 */
export interface App extends CustomResource<AppSpec, AppStatus> {}
export const App = defineKind<App>({ group: "gallery.dev", version: "v1" }, { kind: "App", plural: "apps" });
