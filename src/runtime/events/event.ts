import { defineKind, type KubernetesObject, type MicroTime } from "@tsbuilder/apimachinery/meta";

/** The content of an Event about an object. */
export interface ObjectReference {
  apiVersion: string;
  kind: string;
  name?: string | undefined;
  namespace?: string | undefined;
  uid?: string | undefined;
}

/** An `events.k8s.io/v1` Event. The server limits the texts: 128 characters, and 1024 bytes for the note. */
export interface Event extends KubernetesObject {
  eventTime: MicroTime;
  /** Set once the same event has occurred twice. */
  series?: { count: number; lastObservedTime: MicroTime };
  reportingController: string;
  reportingInstance: string;
  action: string;
  reason: string;
  regarding: ObjectReference;
  related?: ObjectReference | undefined;
  note: string;
  type: "Normal" | "Warning";
}

export const Event = defineKind<Event>(
  { group: "events.k8s.io", version: "v1" },
  { kind: "Event", plural: "events" },
);
