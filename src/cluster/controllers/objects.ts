import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";

/** A resource by plural and group, as error messages write it: `pods`, `deployments.apps`. */
export type ResourceName = string;

/** A resource that the server serves, in the version that controllers use: the preferred one. */
export interface ServedResource {
  readonly resource: ResourceName;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

/** What happened to an object. `object` is the new state, or for `DELETED` the last one. */
export interface ObjectEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly resource: ResourceName;
  readonly object: KubernetesObject;
}

/** How an object is to be deleted. */
export interface DeleteOptions {
  /** Deletes only this very object, not a later one of the same name. */
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan" | undefined;
  readonly gracePeriodSeconds?: number | undefined;
}

/**
 * The cluster's objects as controllers see them: reads are synchronous and shared (never change what they
 * return), writes go through admission, validation and storage as any request does, without HTTP, in the name
 * of a system user. A write that fails throws the server's Status error.
 */
export interface ClusterObjects {
  /** What is served now, custom resources included. */
  resources(): readonly ServedResource[];
  get(resource: ResourceName, namespace: string | undefined, name: string): KubernetesObject | undefined;
  /** Lists a namespace, or all of them. */
  list(resource: ResourceName, namespace?: string): readonly KubernetesObject[];
  /** Calls back after each write from now on, in the order of revisions. Returns what ends it. */
  watch(listener: (event: ObjectEvent) => void): () => void;
  create(user: string, object: KubernetesObject): Promise<KubernetesObject>;
  /** Replaces an object; its `resourceVersion`, if there is one, must be the stored one. */
  update(user: string, object: KubernetesObject, subresource?: string): Promise<KubernetesObject>;
  delete(user: string, object: KubernetesObject, options?: DeleteOptions): Promise<void>;
}
