import { type JSONValue, type Time, type int32, type int64, isEqual, isObject } from "../json/index.ts";

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

/** The name of an object in its namespace. */
export interface NamespacedName {
  readonly namespace: string;
  readonly name: string;
}

/** The name of an object of a cluster-scoped kind, which is in no namespace. */
export interface ClusterScopedName {
  readonly namespace?: undefined;
  readonly name: string;
}

/** The name of an object of any kind. */
export interface ObjectKey {
  readonly namespace?: string | undefined;
  readonly name: string;
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

/** One of several causes of a failure, for example one invalid field. */
export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

/** The object of a failure and its causes; `kind` is the plural name of the resource if the object was not found. */
export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: int32;
}

/** The response of the API server if it returns no object: usually an error. */
export interface Status extends TypeMeta {
  apiVersion: "v1";
  kind: "Status";
  metadata: ListMeta;
  status?: "Success" | "Failure";
  message?: string;
  reason?: string;
  details?: StatusDetails;
  code?: int32;
}

/** One condition on a label; `values` is empty for `Exists` and `DoesNotExist`. */
export interface LabelSelectorRequirement {
  key: string;
  operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  values?: string[];
}

/** Selects objects by their labels: all requirements must match; an empty selector matches everything. */
export interface LabelSelector {
  matchLabels?: { [key: string]: string };
  matchExpressions?: LabelSelectorRequirement[];
}

/**
 * Returns an owner reference. By default it is a controller reference, of which an object has at most one, and blocks
 * foreground deletion of the owner until the dependent is gone.
 */
export function ownerReferenceTo(
  owner: KubernetesObject,
  {
    controller = true,
    blockOwnerDeletion = controller,
  }: { controller?: boolean; blockOwnerDeletion?: boolean } = {},
): OwnerReference {
  const { name, uid } = owner.metadata;
  if (!name || !uid)
    throw new TypeError(`a ${owner.kind} without name and uid is not stored, so it can't own anything`);
  const reference: OwnerReference = { apiVersion: owner.apiVersion, kind: owner.kind, name, uid };
  if (controller) reference.controller = true;
  if (blockOwnerDeletion) reference.blockOwnerDeletion = true;
  return reference;
}

/** Returns the controller reference of an object. */
export function findController(object: KubernetesObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

/** Returns the references with one added; it replaces a reference to the same owner. */
export function withOwnerReference(
  references: readonly OwnerReference[] | undefined,
  reference: OwnerReference,
): OwnerReference[] {
  const others = (references ?? []).filter(({ uid }) => uid !== reference.uid);
  return [...others, reference];
}

/** Fields that the API server writes itself. */
const serverFields = new Set(["metadata.managedFields", "metadata.resourceVersion", "metadata.generation"]);

/**
 * Returns the paths of the fields that differ between two states of an object, down to the first list: for `dev`, its page
 * and simulations.
 */
export function changedFields(before: unknown, after: unknown, path = ""): string[] {
  if (serverFields.has(path) || isEqual(before, after)) return [];
  if (!isObject(before) || !isObject(after)) return [path];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) =>
    changedFields(before[name], after[name], path === "" ? name : `${path}.${name}`),
  );
}
