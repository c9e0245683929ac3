import type { Strategy } from "../../../registry/resource.ts";
import type { Fields } from "../../fill-in.ts";
import { changedEvent, newEvent } from "./rules.ts";

/** Events have fields that Go serializes even if empty. */
export const eventStrategy: Partial<Strategy> = {
  default(object) {
    object["eventTime"] ??= null;
    if (object.apiVersion !== "v1") {
      for (const field of ["deprecatedFirstTimestamp", "deprecatedLastTimestamp"]) object[field] ??= null;
      return;
    }
    for (const field of ["firstTimestamp", "lastTimestamp"]) object[field] ??= null;
    const { series } = object as { series?: Fields };
    if (series) series["lastObservedTime"] ??= null;
    for (const field of ["reportingComponent", "reportingInstance"]) object[field] ??= "";
  },
  validate: (object, { resource }) => [...newEvent(object, resource)],
  validateUpdate: (object, old, { resource }) => [...changedEvent(object, old, resource)],
};
