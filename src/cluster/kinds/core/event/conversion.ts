import type { ApiObject } from "../../../contract/api-object.ts";

/** The fields with different names in the two groups: core's first. */
const renamed = [
  ["involvedObject", "regarding"],
  ["message", "note"],
  ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"],
  ["reportingComponent", "reportingController"],
] as const;

/** Events are one kind in two groups: core and events.k8s.io. */
export function eventTo(event: ApiObject, apiVersion: string): ApiObject {
  const names = new Map<string, string>(
    renamed.map(([core, events]) => (apiVersion === "v1" ? [events, core] : [core, events])),
  );
  const fields = Object.entries(event).map(([field, value]) => [names.get(field) ?? field, value]);
  const converted = { ...(Object.fromEntries(fields) as ApiObject), kind: "Event", apiVersion };
  if (apiVersion !== "v1") dropEmpty(converted);
  return converted;
}

/** Drops fields that Go serializes in the core group even if empty, but not in events.k8s.io. */
function dropEmpty(event: ApiObject): void {
  for (const field of ["reportingController", "reportingInstance"]) {
    if (event[field] === "") delete event[field];
  }
}
