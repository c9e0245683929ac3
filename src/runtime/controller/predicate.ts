import type { KubernetesObject, LabelSelector } from "@tsbuilder/apimachinery/meta";
import { matchesRequirements, toRequirements } from "@tsbuilder/apimachinery/selector";
import { synchronous } from "../callbacks/callbacks.ts";
import type { ObjectKey, Stored } from "../client/client.ts";
import type { InformerEvent } from "../cache/cache.ts";

/** Decides whether an event causes a request. */
export type Predicate<T extends KubernetesObject = KubernetesObject, Key extends ObjectKey = ObjectKey> = (
  event: InformerEvent<Stored<T, Key>>,
) => boolean;

/** Accepts updates that change the desired state, not only status or metadata; without a generation, all updates. */
export const generationChanged: Predicate = (event) =>
  event.type !== "update" ||
  event.object.metadata.generation === undefined ||
  event.oldObject.metadata.generation !== event.object.metadata.generation;

/** Accepts updates that changed anything; rejects the repeated events of a resync. */
export const resourceVersionChanged: Predicate = (event) =>
  event.type !== "update" ||
  event.oldObject.metadata.resourceVersion !== event.object.metadata.resourceVersion;

/** Accepts updates that change labels. */
export const labelsChanged: Predicate = (event) =>
  event.type !== "update" || !sameEntries(event.oldObject.metadata.labels, event.object.metadata.labels);

/** Accepts updates that change annotations. */
export const annotationsChanged: Predicate = (event) =>
  event.type !== "update" ||
  !sameEntries(event.oldObject.metadata.annotations, event.object.metadata.annotations);

/**
 * Rejects events caused by writes of this process; changes made by others in between have events of their own. Not used
 * by default, because a controller that works in two steps often waits for the event of the first one.
 */
export const notOwnWrite: Predicate = (event) => event.type === "delete" || !event.isOwnWrite;

/** Accepts events of objects for which the function returns true; for an update, of the new object. */
export function objectMatches<T extends KubernetesObject, Key extends ObjectKey = ObjectKey>(
  accepts: (object: Stored<T, Key>) => boolean,
): Predicate<T, Key> {
  return (event) => accepts(event.object);
}

/** Accepts events of objects that match a label selector. Throws a TypeError if the selector is invalid. */
export function labelsMatch(selector: LabelSelector): Predicate {
  const requirements = toRequirements(selector);
  return objectMatches(({ metadata }) => matchesRequirements(requirements, metadata.labels));
}

/** Accepts events that pass all predicates. */
export function allOf<T extends KubernetesObject, Key extends ObjectKey = ObjectKey>(
  ...predicates: Predicate<T, Key>[]
): Predicate<T, Key> {
  return (event) => predicates.every((predicate) => synchronous(predicate(event)));
}

/** Accepts events that pass at least one predicate. */
export function anyOf<T extends KubernetesObject, Key extends ObjectKey = ObjectKey>(
  ...predicates: Predicate<T, Key>[]
): Predicate<T, Key> {
  return (event) => predicates.some((predicate) => synchronous(predicate(event)));
}

/** Accepts events that the predicate rejects. */
export function not<T extends KubernetesObject, Key extends ObjectKey = ObjectKey>(
  predicate: Predicate<T, Key>,
): Predicate<T, Key> {
  return (event) => !synchronous(predicate(event));
}

function sameEntries(
  left: { readonly [name: string]: string } = {},
  right: { readonly [name: string]: string } = {},
): boolean {
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && left[name] === right[name])
  );
}
