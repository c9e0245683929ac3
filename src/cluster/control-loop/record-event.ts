import type { Event, ObjectReference } from "@tsbuilder/apimachinery/k8s/core/v1";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { formatTime } from "@tsbuilder/apimachinery/time";
import type { ControllerContext, Writer } from "./controller.ts";
import type { ResourceName } from "../contract/cluster-objects.ts";
import { templateHash } from "./pods/template-hash.ts";

export const events: ResourceName<Event> = "events";

/** The context of a controller's steps that report Events. */
export interface ReportingContext extends Writer, Pick<ControllerContext, "clock"> {
  /** Writes an Event, or increments the count of an equal one. An Event that can't be written is dropped. */
  readonly report: (
    about: KubernetesObject,
    type: "Normal" | "Warning",
    reason: string,
    message: string,
  ) => Promise<void>;
}

/** Makes the context of a controller that writes as a user and reports Events as a component. */
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
      const content = { type, reason, message };
      const time = formatTime(clock.now());
      const event = {
        ...aboutObject(about, content),
        ...content,
        count: 1,
        firstTimestamp: time,
        lastTimestamp: time,
        source: { component },
      };
      const existing = objects.get(events, event.metadata.namespace, event.metadata.name);
      const count = (existing?.count ?? 0) + 1;
      try {
        if (existing) await objects.update(reporter, { ...existing, count, lastTimestamp: time });
        else await objects.create(reporter, event);
      } catch {
        // A namespace that is being deleted accepts no Events.
      }
    },
  };
}

/** The fields of an Event about an object. Its name is the same for the same object and content. */
export function aboutObject(about: KubernetesObject, content: object) {
  const { name, namespace, uid } = about.metadata;
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: `${name}.${templateHash([uid, content])}`, namespace: namespace ?? "default" },
    involvedObject: referenceTo(about),
  };
}

/** The ObjectReference to an object, without the fields that it lacks. */
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
