import { isEqual } from "@tsbuilder/apimachinery/json";
import type { ClusterObjects } from "../../../../contract/cluster-objects.ts";
import type { EndpointSlice } from "./endpoint-slices.ts";

/** The part of a slice that its controller owns. */
interface SliceOptions {
  /** Whether annotations are copied from elsewhere, instead of being users'. Default: false. */
  readonly areAnnotationsOurs?: boolean | undefined;
}

/** Turns slices into others. Unchanged slices keep their names; of the rest, as many as needed are updated. */
export async function replaceSlices(
  objects: ClusterObjects,
  user: string,
  current: readonly EndpointSlice[],
  wanted: readonly EndpointSlice[],
  options: SliceOptions = {},
): Promise<void> {
  const changed = wanted.filter((slice) => !current.some((stored) => isSame(stored, slice, options)));
  const spare = current.filter((stored) => !wanted.some((slice) => isSame(stored, slice, options)));
  for (const slice of changed) {
    const at = spare.findIndex(({ addressType }) => addressType === slice.addressType);
    const [reused] = at === -1 ? [] : spare.splice(at, 1);
    if (!reused) await objects.create(user, slice);
    else await objects.update(user, rewritten(reused, slice, options));
  }
  for (const slice of spare) await objects.delete(user, slice, { uid: slice.metadata.uid });
}

function rewritten(
  stored: EndpointSlice,
  { metadata: { labels, annotations }, endpoints, ports }: EndpointSlice,
  { areAnnotationsOurs }: SliceOptions,
): EndpointSlice {
  const { annotations: known, ...kept } = stored.metadata;
  const all = areAnnotationsOurs ? annotations : known;
  return {
    ...stored,
    metadata: { ...kept, ...(labels && { labels }), ...(all && { annotations: all }) },
    endpoints,
    ports,
  };
}

function isSame(stored: EndpointSlice, wanted: EndpointSlice, { areAnnotationsOurs }: SliceOptions): boolean {
  return (
    stored.addressType === wanted.addressType &&
    isEqual(stored.endpoints ?? [], wanted.endpoints) &&
    isEqual(stored.ports ?? [], wanted.ports) &&
    isEqual(stored.metadata.labels, wanted.metadata.labels) &&
    (!areAnnotationsOurs || isEqual(stored.metadata.annotations, wanted.metadata.annotations))
  );
}
