import type { KubernetesObject, OwnerReference } from "./object.ts";

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
