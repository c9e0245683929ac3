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
  /** The paths of what its subresource `scale` shows. Absent: it has none. */
  readonly scale?: { readonly spec: string; readonly selector?: string | undefined } | undefined;
}

/** A change of an object. `object` is the new state, or the last one for `DELETED`. */
export interface ObjectEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly resource: ResourceName;
  readonly object: KubernetesObject;
}

/** The options by which controllers delete an object: flat, unlike DeleteOptions, whose preconditions are nested. */
export interface DeletionOptions {
  /** Deletes only the object with this uid, not a later one of the same name. */
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan" | undefined;
  readonly gracePeriodSeconds?: number | undefined;
}

/**
 * The cluster's objects as controllers see them. Reads are synchronous and return shared objects, which must not be
 * changed. Writes pass admission, validation and storage like any request, but without HTTP, as a system user. A write
 * that fails throws the server's StatusError.
 */
export interface ClusterObjects {
  /** The resources that are served now, custom resources included. */
  resources(): readonly ServedResource[];
  /** Finds the resource of a kind that is served in any version; undefined if there is none. */
  findKind(group: string, kind: string): ServedResource | undefined;
  get<T extends KubernetesObject>(
    resource: ResourceName<T>,
    namespace: string | undefined,
    name: string,
  ): T | undefined;
  /** Lists the objects of a namespace. Default: all namespaces. */
  list<T extends KubernetesObject>(resource: ResourceName<T>, namespace?: string): readonly T[];
  /** Calls the listener after each write from now on, in the order of revisions. Returns an unsubscribe function. */
  watch(listener: (event: ObjectEvent) => void): () => void;
  create<T extends KubernetesObject>(user: string, object: T): Promise<T>;
  /** Replaces an object. If it has a `resourceVersion`, this must be the stored one. */
  update<T extends KubernetesObject>(user: string, object: T, subresource?: string): Promise<T>;
  delete(user: string, object: KubernetesObject, options?: DeletionOptions): Promise<void>;
}
