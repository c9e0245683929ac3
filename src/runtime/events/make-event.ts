import { formatMicroTime } from "@tsbuilder/apimachinery/time";
import type { Owner } from "../client/options.ts";
import { Event, type ObjectReference } from "./event.ts";

/** The namespace of Events about cluster-scoped objects. */
const clusterScopedNamespace = "default";

/** The inputs of an Event. */
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
  /** Distinguishes Events of the same millisecond. */
  readonly serial: number;
}

/** Creates an Event, with texts truncated to the server's limits. */
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

/** An object reference as Events have it. */
export function referenceTo({
  apiVersion,
  kind,
  metadata: { name, namespace, uid },
}: Owner): ObjectReference {
  return { apiVersion, kind, name, uid, ...(namespace === undefined ? {} : { namespace }) };
}

/**
 * A unique name without asking the server: the time in hexadecimal, as in client-go, and a counter within the
 * millisecond.
 */
function nameFor({ name = "unnamed" }: ObjectReference, now: number, serial: number): string {
  const suffix = `.${(BigInt(Math.trunc(now)) * 1_000_000n + BigInt(serial % 1_000_000)).toString(16)}`;
  return `${name.slice(0, 253 - suffix.length)}${suffix}`;
}

function cutBytes(text: string, max: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= max) return text;
  // A truncated character would become a replacement character.
  return bytes.subarray(0, max).toString("utf8").replace(/�+$/, "");
}
