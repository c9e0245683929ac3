import {
  findController,
  type Kind,
  type KubernetesObject,
  type OwnerReference,
  ownerReferenceTo,
  withOwnerReference,
} from "@tsbuilder/apimachinery/meta";
import { ApiError, TerminalError } from "../errors/api-error.ts";
import type { Desired, ObjectKey } from "./objects.ts";
import type { Owner } from "./client.ts";
import { namespaceOf, required, typed } from "./requests.ts";

/** The body of a create or an apply, with kind, namespace and owner. */
export function bodyWithOwner<T extends KubernetesObject>(
  kind: Kind<T>,
  desired: Desired<T>,
  owner: Owner | undefined,
  onlyNamespace: string | undefined,
): KubernetesObject {
  const wanted = desired.metadata.namespace ?? (owner?.metadata.namespace || undefined);
  const namespace = required(kind, namespaceOf(kind, { namespace: onlyNamespace }, wanted));
  if (!owner) return typed(kind, desired, namespace);
  checkScope(kind, namespace, owner);
  const { ownerReferences } = desired.metadata as KubernetesObject["metadata"];
  const reference = ownerReferenceTo(owner as KubernetesObject);
  const metadata = { ...desired.metadata, ownerReferences: withOwnerReference(ownerReferences, reference) };
  return typed(kind, { ...(desired as object), metadata }, namespace);
}

/** The body of an apply, without fields that the server rejects there or that would claim the status. */
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

/** The controlling owner of an object, if it is not the given owner. */
export function controllerBeside(
  object: KubernetesObject,
  owner: Owner | undefined,
): OwnerReference | undefined {
  const controller = findController(object);
  return controller && controller.uid !== owner?.metadata.uid ? controller : undefined;
}

/** The error that `apply` throws instead of taking an object from its controller. */
export function alreadyOwned(
  kind: Kind,
  { name }: ObjectKey,
  other: OwnerReference,
  owner: Owner | undefined,
): ApiError {
  // An owner that was recreated under its old name finds children of its predecessor until they are garbage-collected.
  const isOfBefore = other.kind === owner?.kind && other.name === owner.metadata.name;
  const whose = `${other.kind} "${other.name}"${isOfBefore ? " that was deleted, and goes with it" : " already"}`;
  return notOurs(`${kind.kind} "${name}" is controlled by ${whose}`);
}

/**
 * Throws for an object that another client created. An object without a controller is ours if it has our labels: its
 * owner may have been deleted with orphaned children, or it was created without an owner.
 */
export function leaveStranger(kind: Kind, current: KubernetesObject, body: KubernetesObject): void {
  const labels = Object.entries(body.metadata.labels ?? {});
  const isLabelled = labels.every(([label, value]) => current.metadata.labels?.[label] === value);
  if (isLabelled && labels.length > 0) return;
  throw notOurs(`${kind.kind} "${body.metadata.name}" was made by somebody else`);
}

/** The server calls another uid invalid: the object was replaced since it was read, which is a conflict. */
export function conflictOfUid(error: unknown): unknown {
  if (!(error instanceof ApiError) || !error.isInvalid) return error;
  const { body, request } = error;
  const isReplaced = body.details?.causes?.some(({ field }) => field === "metadata.uid");
  return isReplaced
    ? new ApiError({ ...body, code: 409, reason: "Conflict" }, { request, cause: error })
    : error;
}

function notOurs(message: string): ApiError {
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
