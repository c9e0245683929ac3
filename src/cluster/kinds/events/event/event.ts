import type { BuiltInKind } from "../../built-in-kind.ts";
import { event } from "../../core/event/event.ts";

/** The core group's Events with the field names of events.k8s.io. */
export const eventOfEventsGroup: BuiltInKind = {
  ...event,
  resource: "events.events.k8s.io",
  emptyObject: {
    regarding: {},
    metadata: {},
    eventTime: null,
    deprecatedSource: {},
    deprecatedFirstTimestamp: null,
    deprecatedLastTimestamp: null,
  },
};
