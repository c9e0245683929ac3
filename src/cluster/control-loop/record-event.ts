import type { Event, ObjectReference } from "@tsbuilder/apimachinery/k8s/core/v1";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { formatTime } from "@tsbuilder/apimachinery/time";
import type { ControllerContext } from "./controller.ts";
import type { ResourceName } from "../contract/cluster-objects.ts";
import { templateHash } from "./pods/template-hash.ts";

/** Writes an Event about an object. */
export type Report = (
  about: KubernetesObject,
  type: "Normal" | "Warning",
  reason: string,
  message: string,
) => Promise<void>;

export const events: ResourceName<Event> = "events";

/**
 * Creates the function by which a component writes Events. An Event's name is derived from its
 * content, so that a repeated one only increments the count. An Event that can't be written is dropped.
 */
export function reporter({ objects, clock }: ControllerContext, component: string): Report {
  const user = `system:serviceaccount:kube-system:${component}`;
  return async (about, type, reason, message) => {
    const event = newEvent(component, formatTime(clock.now()), about, { type, reason, message });
    const { namespace, name } = event.metadata;
    const same = objects.get(events, namespace, name!);
    try {
      if (!same) await objects.create(user, event);
      else
        await objects.update(user, {
          ...same,
          count: (same.count ?? 0) + 1,
          lastTimestamp: event.lastTimestamp,
        });
    } catch {
      // A namespace that is being deleted accepts no Events.
    }
  };
}

function newEvent(
  component: string,
  stamp: string,
  about: KubernetesObject,
  text: Pick<Event, "type" | "reason" | "message">,
): Event {
  return {
    ...aboutObject(about, text),
    ...text,
    count: 1,
    firstTimestamp: stamp,
    lastTimestamp: stamp,
    source: { component },
  };
}

/** The fields of an Event about an object. Its name is the same for the same object and text. */
export function aboutObject(about: KubernetesObject, text: object) {
  const { name, namespace, uid } = about.metadata;
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: `${name}.${templateHash([uid, text])}`, namespace: namespace ?? "default" },
    involvedObject: referenceTo(about),
  };
}

export function referenceTo({ apiVersion, kind, metadata }: KubernetesObject): ObjectReference {
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    ...(apiVersion !== undefined && { apiVersion }),
    ...(kind !== undefined && { kind }),
    ...(name !== undefined && { name }),
    ...(namespace ? { namespace } : {}),
    ...(uid ? { uid } : {}),
    ...(resourceVersion ? { resourceVersion } : {}),
  };
}

/** The context of a controller's steps that report Events. */
export interface ReportingContext extends Pick<ControllerContext, "objects" | "clock"> {
  /** The user that its writes are attributed to. */
  readonly user: string;
  readonly report: ReturnType<typeof reporter>;
}

export function reporting(context: ControllerContext, user: string, component: string): ReportingContext {
  const { objects, clock } = context;
  return { objects, clock, user, report: reporter(context, component) };
}
