import { formatMicroTime } from "@tsbuilder/apimachinery/time";
import type { Owner } from "../client/options.ts";
import { Event, type ObjectReference } from "./event.ts";

/** Where events of objects without a namespace are kept. */
const clusterScopedNamespace = "default";

/** What an event is made of. */
export interface EventFacts {
  readonly type: "Normal" | "Warning";
  readonly regarding: ObjectReference;
  readonly related: ObjectReference | undefined;
  readonly reason: string;
  readonly action: string;
  readonly note: string;
  readonly annotations: { readonly [name: string]: string } | undefined;
  readonly reportingController: string;
  readonly reportingInstance: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Differs between events of one millisecond. */
  readonly serial: number;
}

/** Makes an event that the server takes: texts are cut to its limits. */
export function makeEvent(facts: EventFacts): Event {
  const { type, regarding, related, reason, action, note, annotations, now, serial } = facts;
  return {
    apiVersion: Event.apiVersion,
    kind: Event.kind,
    metadata: {
      name: nameFor(regarding, now, serial),
      namespace: regarding.namespace ?? clusterScopedNamespace,
      ...(annotations && { annotations: { ...annotations } }),
    },
    eventTime: formatMicroTime(now),
    reportingController: facts.reportingController,
    reportingInstance: facts.reportingInstance.slice(0, 128),
    action: action.slice(0, 128),
    reason: reason.slice(0, 128),
    regarding,
    ...(related && { related }),
    note: cutBytes(note, 1024),
    type,
  };
}

/** Refers to an object as events do. */
export function referenceTo({
  apiVersion,
  kind,
  metadata: { name, namespace, uid },
}: Owner): ObjectReference {
  return { apiVersion, kind, name, uid, ...(namespace === undefined ? {} : { namespace }) };
}

/** Unique without asking: the time in hexadecimal, as kubectl's users know it, and a number within the millisecond. */
function nameFor({ name = "unnamed" }: ObjectReference, now: number, serial: number): string {
  const suffix = `.${(BigInt(now) * 1_000_000n + BigInt(serial % 1_000_000)).toString(16)}`;
  return `${name.slice(0, 253 - suffix.length)}${suffix}`;
}

function cutBytes(text: string, max: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= max) return text;
  // A character cut in two would become a replacement mark.
  return bytes.subarray(0, max).toString("utf8").replace(/�+$/, "");
}
