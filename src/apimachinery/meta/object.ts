import type { int64, JSONValue, Time } from "../json/index.ts";

/** The kind of an object: `apiVersion` is `group/version`, or `v1` for the core group. */
export interface TypeMeta {
  apiVersion: string;
  kind: string;
}

/** A reference from a dependent to its owner, which is in the same namespace or cluster-scoped. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** The fields that a field manager has set, and how. */
export interface ManagedFieldsEntry {
  manager?: string;
  operation?: "Apply" | "Update";
  apiVersion?: string;
  time?: Time;
  fieldsType?: "FieldsV1";
  fieldsV1?: { [field: string]: JSONValue };
  subresource?: string;
}

/** The metadata that every stored object has. */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: int64;
  creationTimestamp?: Time;
  deletionTimestamp?: Time;
  deletionGracePeriodSeconds?: int64;
  labels?: { [key: string]: string };
  annotations?: { [key: string]: string };
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
  selfLink?: string;
}

/** An object of any kind, as JSON. */
export interface KubernetesObject extends TypeMeta {
  metadata: ObjectMeta;
}

/** The metadata of a list: its resource version, and the token to continue with. */
export interface ListMeta {
  resourceVersion?: string;
  continue?: string;
  remainingItemCount?: int64;
  selfLink?: string;
}

/** The response to a list request. */
export interface KubernetesList<T extends KubernetesObject = KubernetesObject> extends TypeMeta {
  metadata: ListMeta;
  items: T[];
}

/**
 * The shape of a custom resource: `spec` is what the user asks for, `status` what the controller observed.
 * A kind is an interface that extends this, and a value of the same name made by `defineKind`.
 */
export interface CustomResource<Spec = unknown, Status = unknown> extends KubernetesObject {
  spec: Spec;
  status?: Status;
}
