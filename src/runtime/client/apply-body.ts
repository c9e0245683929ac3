import type { Kind, KubernetesObject, OwnerReference } from "@tsbuilder/apimachinery/meta";
import { findController, ownerReferenceTo, withOwnerReference } from "@tsbuilder/apimachinery/meta";
import { ApiError, TerminalError } from "../errors/api-error.ts";
import type { ApplyConfiguration, ApplyOptions, Desired, ObjectKey, Owner, Stored } from "./client.ts";
import { namespaceOf, requireNamespace, typed } from "./requests.ts";

/** Makes the body of a create, with kind, namespace and owner. Throws a `TerminalError` if the owner can't own it. */
export function bodyWithOwner<T extends KubernetesObject>(
  kind: Kind<T>,
  desired: Desired<T>,
  owner: Owner | undefined,
  onlyNamespace: string | undefined,
): KubernetesObject {
  const wanted = desired.metadata.namespace ?? (owner?.metadata.namespace || undefined);
  const namespace = requireNamespace(kind, namespaceOf(kind, { namespace: onlyNamespace }, wanted));
  if (!owner) return typed(kind, desired, namespace);
  checkScope(kind, namespace, owner);
  const { ownerReferences } = desired.metadata as KubernetesObject["metadata"];
  const reference = ownerReferenceTo(owner as KubernetesObject);
  const metadata = { ...desired.metadata, ownerReferences: withOwnerReference(ownerReferences, reference) };
  return typed(kind, { ...(desired as object), metadata }, namespace);
}

/** Makes the body of an apply: without managed fields, which the server rejects, and without the status. */
export function bodyToApply<T extends KubernetesObject>(
  kind: Kind<T>,
  desired: Desired<T>,
  owner: Owner | undefined,
  onlyNamespace: string | undefined,
): KubernetesObject {
  const { managedFields: _, ...metadata } = desired.metadata as KubernetesObject["metadata"];
  const { status: __, ...rest } = desired as { status?: unknown };
  return bodyWithOwner(kind, { ...rest, metadata } as Desired<T>, owner, onlyNamespace);
}

/** Makes the desired object of `applyFields`. With its uid, an apply doesn't create the object again once it is gone. */
export function withIdentity<T extends KubernetesObject, Key extends ObjectKey>(
  object: Stored<T, Key>,
  fields: ApplyConfiguration<T>,
): Desired<T, Key> {
  const { namespace, name, uid } = object.metadata;
  return {
    ...(fields as object),
    metadata: { ...fields.metadata, namespace, name, uid },
  } as unknown as Desired<T, Key>;
}

/**
 * Finds the controller from which an apply takes an object over; undefined if the object has no controller, or the
 * owner of the apply already controls it. Throws an `AlreadyOwned` error if the apply must leave the object alone.
 */
export function findFormerController(
  kind: Kind,
  current: KubernetesObject,
  body: KubernetesObject,
  { owner, adopt = false, adoptOnlyMatching = false }: ApplyOptions,
): OwnerReference | undefined {
  if (!owner && !adoptOnlyMatching) return undefined;
  const controller = findController(current);
  if (!controller && adoptOnlyMatching && !hasOurLabels(current, body))
    throw alreadyOwned(`${kind.kind} "${body.metadata.name}" was made by somebody else`);
  if (!controller || controller.uid === owner?.metadata.uid) return undefined;
  if (adopt) return controller;
  // An owner that was recreated under its old name finds children of its predecessor until they are garbage-collected.
  const isPredecessor = controller.kind === owner?.kind && controller.name === owner.metadata.name;
  const until = isPredecessor ? " that was deleted, and goes with it" : " already";
  const whose = `${controller.kind} "${controller.name}"${until}`;
  throw alreadyOwned(`${kind.kind} "${body.metadata.name}" is controlled by ${whose}`);
}

/**
 * Returns true if an object has our labels. Then it is ours, also without a controller: its owner may have been deleted
 * with orphaned children, or it was created without an owner.
 */
function hasOurLabels(current: KubernetesObject, body: KubernetesObject): boolean {
  const labels = Object.entries(body.metadata.labels ?? {});
  return labels.length > 0 && labels.every(([label, value]) => current.metadata.labels?.[label] === value);
}

/** Converts an Invalid error about the uid to a conflict: the object was replaced. Returns other errors unchanged. */
export function asConflictIfReplaced(error: unknown): unknown {
  if (!(error instanceof ApiError) || !error.isInvalid) return error;
  const { body, request } = error;
  const isReplaced = body.details?.causes?.some(({ field }) => field === "metadata.uid");
  return isReplaced
    ? new ApiError({ ...body, code: 409, reason: "Conflict" }, { request, cause: error })
    : error;
}

function alreadyOwned(message: string): ApiError {
  return new ApiError({ code: 409, reason: "AlreadyOwned", message });
}

/** The garbage collector looks for an owner only in the dependent's namespace and among cluster-scoped objects. */
function checkScope(kind: Kind, namespace: string | undefined, owner: Owner): void {
  const from = owner.metadata.namespace;
  if (!from || from === namespace) return;
  const what = namespace ? `a ${kind.kind} in namespace "${namespace}"` : `the cluster-scoped ${kind.kind}`;
  throw new TerminalError(
    `the ${owner.kind} in namespace "${from}" can't own ${what}: it would be collected as an orphan`,
  );
}
