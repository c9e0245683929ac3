import type { Event, ObjectReference } from "@tsbuilder/apimachinery/k8s/core/v1";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { formatTime } from "@tsbuilder/apimachinery/time";
import type { ControllerContext, Writer } from "./controller.ts";
import type { ResourceName } from "../contract/cluster-objects.ts";
import { templateHash } from "./pods/template-hash.ts";

export const events: ResourceName<Event> = "events";

/** The context of a controller's steps that report Events. */
export interface ReportingContext extends Writer, Pick<ControllerContext, "clock"> {
  /**
   * Writes an Event about an object. Its name is derived from its content, so that a repeated one only increments the
   * count. An Event that can't be written is dropped.
   */
  readonly report: (
    about: KubernetesObject,
    type: "Normal" | "Warning",
    reason: string,
    message: string,
  ) => Promise<void>;
}

/** Creates the context for a user's writes and the Events of a component. */
export function reporting(
  { objects, clock }: ControllerContext,
  user: string,
  component: string,
): ReportingContext {
  const reporter = `system:serviceaccount:kube-system:${component}`;
  return {
    objects,
    clock,
    user,
    async report(about, type, reason, message) {
      const text = { type, reason, message };
      const stamp = formatTime(clock.now());
      const event = {
        ...aboutObject(about, text),
        ...text,
        count: 1,
        firstTimestamp: stamp,
        lastTimestamp: stamp,
        source: { component },
      };
      const same = objects.get(events, event.metadata.namespace, event.metadata.name);
      const count = (same?.count ?? 0) + 1;
      try {
        if (same) await objects.update(reporter, { ...same, count, lastTimestamp: stamp });
        else await objects.create(reporter, event);
      } catch {
        // A namespace that is being deleted accepts no Events.
      }
    },
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
