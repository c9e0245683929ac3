import type { ApiObject } from "../contract/api-object.ts";
import { Entry } from "../storage/entry.ts";
import { findKind } from "./find-kind.ts";

/** Converts the objects of a resource between versions. */
export interface Conversion {
  object(object: ApiObject, apiVersion: string): ApiObject;
  presenter(apiVersionOf: (version: string) => string): (entry: Entry, version: string) => Entry;
}

/** Most kinds have one version; Events and autoscalers are stored in one version and served in two. */
export function conversionOf(resource: { group: string; plural: string }): Conversion {
  const change = findKind(resource)?.convert;
  const object = (from: ApiObject, apiVersion: string) =>
    !change || from.apiVersion === apiVersion ? from : change(from, apiVersion);
  return {
    object,
    presenter: (apiVersionOf) => (entry, version) => {
      const apiVersion = apiVersionOf(version);
      if (!change || entry.object.apiVersion === apiVersion) return entry;
      let shown = entry.derived(apiVersion) as Entry | undefined;
      if (!shown) {
        shown = new Entry(entry.key, entry.revision, change(entry.object, apiVersion));
        entry.remember(apiVersion, shown);
      }
      return shown;
    },
  };
}
