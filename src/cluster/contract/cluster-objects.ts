import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";

declare const objectType: unique symbol;

/** A resource by plural and group, as error messages write it: `pods`, `deployments.apps`. */
export type ResourceName<T extends KubernetesObject = KubernetesObject> = string & {
  readonly [objectType]?: T;
};

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
  get<T extends KubernetesObject>(
    resource: ResourceName<T>,
    namespace: string | undefined,
    name: string,
  ): T | undefined;
  /** Lists a namespace, or all of them. */
  list<T extends KubernetesObject>(resource: ResourceName<T>, namespace?: string): readonly T[];
  /** Calls back after each write from now on, in the order of revisions. Returns an unsubscribe function. */
  watch(listener: (event: ObjectEvent) => void): () => void;
  create<T extends KubernetesObject>(user: string, object: T): Promise<T>;
  /** Replaces an object; its `resourceVersion`, if there is one, must be the stored one. */
  update<T extends KubernetesObject>(user: string, object: T, subresource?: string): Promise<T>;
  delete(user: string, object: KubernetesObject, options?: DeleteOptions): Promise<void>;
}
