import { isEqual } from "@tsbuilder/apimachinery/json";
import type { ClusterObjects } from "../../../../contract/cluster-objects.ts";
import type { EndpointSlice } from "./endpoint-slices.ts";

/** Turns slices into others. Unchanged slices keep their names; of the rest, as many as needed are updated. */
export async function replaceSlices(
  objects: ClusterObjects,
  user: string,
  current: readonly EndpointSlice[],
  wanted: readonly EndpointSlice[],
): Promise<void> {
  const changed = wanted.filter((slice) => !current.some((stored) => isSame(stored, slice)));
  const spare = current.filter((stored) => !wanted.some((slice) => isSame(stored, slice)));
  for (const slice of changed) {
    const at = spare.findIndex(({ addressType }) => addressType === slice.addressType);
    const [reused] = at === -1 ? [] : spare.splice(at, 1);
    if (!reused) await objects.create(user, slice);
    else await objects.update(user, rewritten(reused, slice));
  }
  for (const slice of spare) await objects.delete(user, slice, { uid: slice.metadata.uid });
}

function rewritten(stored: EndpointSlice, { metadata, endpoints, ports }: EndpointSlice): EndpointSlice {
  const { annotations: _annotations, ...kept } = stored.metadata;
  const { labels, annotations } = metadata;
  return {
    ...stored,
    metadata: { ...kept, ...(labels && { labels }), ...(annotations && { annotations }) },
    endpoints,
    ports,
  };
}

function isSame(stored: EndpointSlice, wanted: EndpointSlice): boolean {
  return (
    stored.addressType === wanted.addressType &&
    isEqual(stored.endpoints ?? [], wanted.endpoints) &&
    isEqual(stored.ports ?? [], wanted.ports) &&
    isEqual(stored.metadata.labels, wanted.metadata.labels) &&
    isEqual(stored.metadata.annotations, wanted.metadata.annotations)
  );
}
