import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { formatTime } from "@tsbuilder/apimachinery/time";
import type { ClusterObjects, ResourceName } from "./objects.ts";

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

/** Writes an Event about an object; the same one again only counts. An Event that can't be written is dropped. */
export async function recordEvent(
  objects: ClusterObjects,
  component: string,
  now: Date,
  about: KubernetesObject,
  text: EventText,
): Promise<void> {
  const user = `system:serviceaccount:kube-system:${component}`;
  const namespace = about.metadata.namespace ?? "default";
  const stamp = formatTime(now);
  const { name, uid, resourceVersion } = about.metadata;
  const same = objects
    .list(events, namespace)
    .find(
      (event) =>
        event.reason === text.reason &&
        event.message === text.message &&
        (event.involvedObject as { uid?: string }).uid === uid,
    );
  try {
    if (same) {
      await objects.update(user, { ...same, count: same.count + 1, lastTimestamp: stamp });
      return;
    }
    await objects.create<CoreEvent>(user, {
      apiVersion: "v1",
      kind: "Event",
      metadata: { generateName: `${name}.`, namespace },
      involvedObject: {
        apiVersion: about.apiVersion,
        kind: about.kind,
        name,
        uid,
        ...(about.metadata.namespace ? { namespace } : {}),
        ...(resourceVersion ? { resourceVersion } : {}),
      },
      ...text,
      count: 1,
      firstTimestamp: stamp,
      lastTimestamp: stamp,
      source: { component },
    });
  } catch {
    // In a namespace that is being deleted nothing can be written any more, and nobody would read it.
  }
}
