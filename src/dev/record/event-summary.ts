import { eventResources } from "./recorded.ts";

/** An Event, read from either of its two API groups. */
export interface EventSummary {
  readonly regarding: EventReference | undefined;
  readonly isWarning: boolean;
  readonly reason: string;
  readonly text: string;
  /** The number of times that it happened. */
  readonly times: number;
}

/** The object that an Event is about. */
export interface EventReference {
  readonly uid?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** An Event of `v1` or of `events.k8s.io/v1`. */
interface EventObject {
  readonly involvedObject?: EventReference;
  readonly regarding?: EventReference;
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly note?: string;
  readonly count?: number;
  readonly deprecatedCount?: number;
  readonly series?: { readonly count?: number };
}

/** Reads an Event; undefined if the object is none. */
export function summarizeEvent({
  resource,
  object,
}: {
  readonly resource: string;
  readonly object: object;
}): EventSummary | undefined {
  if (!eventResources.has(resource)) return undefined;
  const event: EventObject = object;
  return {
    regarding: event.regarding ?? event.involvedObject,
    isWarning: event.type === "Warning",
    reason: event.reason ?? "",
    text: event.note ?? event.message ?? "",
    times: event.series?.count ?? event.count ?? event.deprecatedCount ?? 1,
  };
}
