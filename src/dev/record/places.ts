/** Where objects of one name are in a record: `statefulsets.apps default/db`. */
export function placeName({ resource, key }: { readonly resource: string; readonly key: string }): string {
  return `${resource} ${key}`;
}

/** The resources of Events, which are of two groups. */
export const eventResources: ReadonlySet<string> = new Set(["events", "events.events.k8s.io"]);
