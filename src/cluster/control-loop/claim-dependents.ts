import type { KubernetesObject, LabelSelector } from "@tsbuilder/apimachinery/meta";
import { findController, ownerReferenceTo, withOwnerReference } from "@tsbuilder/apimachinery/meta";
import { matchesRequirements, toRequirements } from "@tsbuilder/apimachinery/selector";
import type { ResourceName } from "../contract/cluster-objects.ts";
import type { Writer } from "./controller.ts";

/** An owner that selects its dependents by labels. */
export interface SelectingOwner extends KubernetesObject {
  spec: { selector: LabelSelector };
}

/**
 * Lists the objects that an owner controls, after adopting matching objects without a controller and
 * releasing its own that no longer match. Neither happens while the owner or the object is being deleted. Adopted
 * objects get the given finalizer, and released ones lose it.
 */
export async function claimDependents<T extends KubernetesObject>(
  { objects, user }: Writer,
  owner: SelectingOwner,
  resource: ResourceName<T>,
  finalizer?: string,
): Promise<T[]> {
  const claimed: T[] = [];
  const requirements = toRequirements(owner.spec.selector);
  for (const object of objects.list(resource, owner.metadata.namespace)) {
    const controller = findController(object);
    if (controller && controller.uid !== owner.metadata.uid) continue;
    const matches = matchesRequirements(requirements, object.metadata.labels);
    const mayChange = !owner.metadata.deletionTimestamp && !object.metadata.deletionTimestamp;
    if (controller) {
      if (matches || !mayChange) claimed.push(object);
      else await release(object);
    } else if (matches && mayChange) claimed.push(await adopt(object));
  }
  return claimed;

  function adopt(object: T): Promise<T> {
    const { finalizers = [], ownerReferences } = object.metadata;
    const adopted = {
      ...object.metadata,
      ownerReferences: withOwnerReference(ownerReferences, ownerReferenceTo(owner)),
      ...(finalizer && { finalizers: [...new Set([...finalizers, finalizer])] }),
    };
    return objects.update(user, { ...object, metadata: adopted });
  }

  async function release(object: T): Promise<void> {
    const { finalizers = [], ownerReferences = [] } = object.metadata;
    const released = {
      ...object.metadata,
      ownerReferences: ownerReferences.filter(({ uid }) => uid !== owner.metadata.uid),
      ...(finalizer && { finalizers: finalizers.filter((each) => each !== finalizer) }),
    };
    await objects.update(user, { ...object, metadata: released });
  }
}
