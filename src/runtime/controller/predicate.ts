import type { KubernetesObject, LabelSelector } from "@tsbuilder/apimachinery/meta";
import type { InformerEvent } from "../cache/informer.ts";

/** Decides whether an event is worth a request. */
export type Predicate<T extends KubernetesObject = KubernetesObject> = (event: InformerEvent<T>) => boolean;

/** Lets updates through that change what is asked for, not only status or metadata. Kinds without generation always pass. */
export const generationChanged: Predicate = (event) =>
  event.type !== "update" ||
  event.object.metadata.generation === undefined ||
  event.oldObject.metadata.generation !== event.object.metadata.generation;

/** Lets updates through that changed anything: all but the repeats of a resync. */
export const resourceVersionChanged: Predicate = (event) =>
  event.type !== "update" ||
  event.oldObject.metadata.resourceVersion !== event.object.metadata.resourceVersion;

/** Lets updates through that change labels. */
export const labelsChanged: Predicate = (event) =>
  event.type !== "update" || !sameEntries(event.oldObject.metadata.labels, event.object.metadata.labels);

/** Lets updates through that change annotations. */
export const annotationsChanged: Predicate = (event) =>
  event.type !== "update" ||
  !sameEntries(event.oldObject.metadata.annotations, event.object.metadata.annotations);

/**
 * Passes over what this process wrote itself: what others change in between has events of its own. Off unless used, as
 * a controller that needs two steps often waits for the event of its first one.
 */
export const notOwnWrite: Predicate = (event) => event.type === "delete" || !event.isOwnWrite;

/** Lets events of objects through that a function accepts; of an update, the new object counts. */
export function objectMatches<T extends KubernetesObject>(accepts: (object: T) => boolean): Predicate<T> {
  return (event) => accepts(event.object);
}

/** Lets events of objects through whose labels a selector chooses. */
export function labelsMatch(selector: LabelSelector): Predicate {
  return objectMatches(({ metadata: { labels = {} } }) => {
    const wanted = Object.entries(selector.matchLabels ?? {});
    return (
      wanted.every(([name, value]) => labels[name] === value) &&
      (selector.matchExpressions ?? []).every(({ key, operator, values = [] }) => {
        const value = labels[key];
        switch (operator) {
          case "In":
            return value !== undefined && values.includes(value);
          // As in the API server, an object without the label is "not in" any set.
          case "NotIn":
            return value === undefined || !values.includes(value);
          case "Exists":
            return value !== undefined;
          case "DoesNotExist":
            return value === undefined;
        }
      })
    );
  });
}

/** Lets events through that all predicates accept. */
export function allOf<T extends KubernetesObject>(...predicates: Predicate<T>[]): Predicate<T> {
  return (event) => predicates.every((predicate) => predicate(event));
}

/** Lets events through that some predicate accepts. */
export function anyOf<T extends KubernetesObject>(...predicates: Predicate<T>[]): Predicate<T> {
  return (event) => predicates.some((predicate) => predicate(event));
}

/** Lets events through that a predicate rejects. */
export function not<T extends KubernetesObject>(predicate: Predicate<T>): Predicate<T> {
  return (event) => !predicate(event);
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
