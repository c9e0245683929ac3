import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { formatTime } from "@tsbuilder/apimachinery/time";
import type { ClusterObjects, ResourceName } from "./objects.ts";
import { templateHash } from "./pods/template-hash.ts";

/** What an Event says. */
export interface EventText {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

interface CoreEvent extends KubernetesObject, EventText {
  involvedObject: object;
  count: number;
  firstTimestamp: string;
  lastTimestamp: string;
  source: { component: string };
}

const events: ResourceName<CoreEvent> = "events";

/**
 * Writes an Event about an object. Its name follows from what it says, so that the same one again only counts.
 * An Event that can't be written is dropped.
 */
export async function recordEvent(
  objects: ClusterObjects,
  component: string,
  now: Date,
  about: KubernetesObject,
  text: EventText,
): Promise<void> {
  const user = `system:serviceaccount:kube-system:${component}`;
  const event = newEvent(component, formatTime(now), about, text);
  const { namespace, name } = event.metadata;
  const same = objects.get(events, namespace, name!);
  try {
    if (!same) await objects.create(user, event);
    else await objects.update(user, { ...same, count: same.count + 1, lastTimestamp: event.lastTimestamp });
  } catch {
    // In a namespace that is being deleted nothing can be written any more, and nobody would read it.
  }
}

function newEvent(component: string, stamp: string, about: KubernetesObject, text: EventText): CoreEvent {
  const { name, namespace, uid, resourceVersion } = about.metadata;
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: `${name}.${templateHash([uid, text])}`, namespace: namespace ?? "default" },
    involvedObject: {
      apiVersion: about.apiVersion,
      kind: about.kind,
      name,
      ...(namespace ? { namespace } : {}),
      ...(uid ? { uid } : {}),
      ...(resourceVersion ? { resourceVersion } : {}),
    },
    ...text,
    count: 1,
    firstTimestamp: stamp,
    lastTimestamp: stamp,
    source: { component },
  };
}
