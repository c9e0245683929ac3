import type { BuiltInKind } from "../../built-in-kind.ts";
import { event } from "../../core/event/event.ts";

/** The other face of the core group's events, under names of its own. */
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
