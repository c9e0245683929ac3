import {
  findController,
  type KubernetesObject,
  type LabelSelector,
  ownerReferenceTo,
  withOwnerReference,
} from "@tsbuilder/apimachinery/meta";
import { matchesRequirements, toRequirements } from "@tsbuilder/apimachinery/selector";
import type { ClusterObjects, ResourceName } from "../contract/cluster-objects.ts";

/** An owner that selects its dependents by labels. */
export interface SelectingOwner extends KubernetesObject {
  spec: { selector: LabelSelector };
}

/**
 * Lists the objects that an owner controls, after adopting matching objects without a controller and
 * releasing its own that no longer match. Neither happens while the owner or the object is being deleted.
 */
export async function claimDependents<T extends KubernetesObject>(
  objects: ClusterObjects,
  user: string,
  owner: SelectingOwner,
  resource: ResourceName<T>,
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
      else await release(objects, user, owner, object);
    } else if (matches && mayChange) {
      claimed.push(await adopt(objects, user, owner, object));
    }
  }
  return claimed;
}

function adopt<T extends KubernetesObject>(
  objects: ClusterObjects,
  user: string,
  owner: KubernetesObject,
  object: T,
): Promise<T> {
  const ownerReferences = withOwnerReference(object.metadata.ownerReferences, ownerReferenceTo(owner));
  return objects.update(user, { ...object, metadata: { ...object.metadata, ownerReferences } });
}

async function release(
  objects: ClusterObjects,
  user: string,
  owner: KubernetesObject,
  object: KubernetesObject,
): Promise<void> {
  const references = object.metadata.ownerReferences ?? [];
  const ownerReferences = references.filter(({ uid }) => uid !== owner.metadata.uid);
  await objects.update(user, { ...object, metadata: { ...object.metadata, ownerReferences } });
}
