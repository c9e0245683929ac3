import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { InformerEvent } from "./informer.ts";
import type { Entry } from "./object-store.ts";

/** Describes the change from what subscribers know to the current state; `between` are objects that came and went. */
export function describeChange<T extends KubernetesObject>(
  seen: Entry<T> | undefined,
  next: Entry<T> | undefined,
  last: Entry<T> | undefined,
  between: readonly InformerEvent<T>[],
  events: InformerEvent<T>[],
  flags: { readonly isInInitialList: boolean; readonly isOwnWrite: boolean },
): void {
  if (!seen || uidOf(seen) !== uidOf(next)) {
    // Deleted and recreated under the same name while the watch was interrupted, subscribers see several objects.
    if (seen) events.push({ type: "delete", object: (last ?? seen).object, isStateUnknown: !last });
    events.push(...between);
    const isInInitialList = flags.isInInitialList && !seen;
    if (next) events.push({ type: "add", object: next.object, ...flags, isInInitialList });
    return;
  }
  if (next && !isSame(seen, next)) {
    const { isOwnWrite } = flags;
    events.push({ type: "update", oldObject: seen.object, object: next.object, isResync: false, isOwnWrite });
  }
}

/** The events of an object of which nothing was told while it was there. */
export function cameAndWent<T extends KubernetesObject>({ object }: Entry<T>): InformerEvent<T>[] {
  return [
    { type: "add", object, isInInitialList: false, isOwnWrite: true },
    { type: "delete", object, isStateUnknown: true },
  ];
}

export function uidOf(entry: Entry | undefined): string | undefined {
  return entry?.object.metadata.uid;
}

/** Whether two entries are one version of one object. */
export function isSame(a: Entry, b: Entry): boolean {
  const { uid, resourceVersion } = a.object.metadata;
  return uid === b.object.metadata.uid && resourceVersion === b.object.metadata.resourceVersion;
}
