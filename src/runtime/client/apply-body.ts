import {
  findController,
  type Kind,
  type KubernetesObject,
  type OwnerReference,
  ownerReferenceTo,
  withOwnerReference,
} from "@tsbuilder/apimachinery/meta";
import { ApiError } from "../errors/api-error.ts";
import { namespaceOf, required } from "./client-defaults.ts";
import type { Desired } from "./desired.ts";
import type { ObjectKey } from "./object-key.ts";
import type { Owner } from "./options.ts";
import { TerminalError } from "../errors/terminal-error.ts";
import { typed } from "./write-request.ts";

/** An object as a create or an apply sends it: complete with its kind, namespace and owner. */
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

/** What an apply sends: without what the server refuses there, or takes for a claim on the status. */
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

/** Who controls an object, if it is not the given owner. */
export function controllerBeside(
  object: KubernetesObject,
  owner: Owner | undefined,
): OwnerReference | undefined {
  const controller = findController(object);
  return controller && controller.uid !== owner?.metadata.uid ? controller : undefined;
}

/** What `apply` throws in place of taking an object away from its controller. */
export function alreadyOwned(
  kind: Kind,
  { name }: ObjectKey,
  other: OwnerReference,
  owner: Owner | undefined,
): ApiError {
  // Made anew under its old name, an owner meets children of before until they are collected.
  const isOfBefore = other.kind === owner?.kind && other.name === owner.metadata.name;
  const whose = `${other.kind} "${other.name}"${isOfBefore ? " that was deleted, and goes with it" : " already"}`;
  return notOurs(`${kind.kind} "${name}" is controlled by ${whose}`);
}

/**
 * Refuses to touch what somebody else made. What nobody controls is ours if it has our labels: so is what an owner
 * leaves that is deleted without its children, and what is made without an owner.
 */
export function leaveStranger(kind: Kind, current: KubernetesObject, body: KubernetesObject): void {
  const labels = Object.entries(body.metadata.labels ?? {});
  const isLabelled = labels.every(([label, value]) => current.metadata.labels?.[label] === value);
  if (isLabelled && labels.length > 0) return;
  throw notOurs(`${kind.kind} "${body.metadata.name}" was made by somebody else`);
}

function notOurs(message: string): ApiError {
  return new ApiError({ code: 409, reason: "AlreadyOwned", message });
}

/** The garbage collector looks for an owner in the dependent's namespace or among cluster-scoped objects, nowhere else. */
function checkScope(kind: Kind, namespace: string | undefined, owner: Owner): void {
  const from = owner.metadata.namespace;
  if (!from || from === namespace) return;
  const what = namespace ? `a ${kind.kind} in namespace "${namespace}"` : `the cluster-scoped ${kind.kind}`;
  throw new TerminalError(
    `the ${owner.kind} in namespace "${from}" can't own ${what}: it would be collected as an orphan`,
  );
}
