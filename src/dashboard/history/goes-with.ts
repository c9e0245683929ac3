import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { compareText } from "@tsbuilder/apimachinery/text";
import { type History, revisionAt } from "./history.ts";

/** An object that is there, by its place. */
interface Present {
  readonly place: string;
  readonly resource: string;
  readonly key: string;
  readonly object: KubernetesObject;
}

/** An object that will be deleted because another one is. */
export interface GoneWith {
  readonly place: string;
  readonly kind: string;
  readonly key: string;
}

/**
 * What goes when an object is deleted: what it owns, unless something else that is there owns it, too; of a Namespace what is
 * in it, and of a CRD its custom resources; and what these own. In the order of kinds and keys.
 */
export function goesWith({ tracks }: History, place: string): GoneWith[] {
  const present = new Map<string, Present>();
  const uids = new Set<string | undefined>();
  for (const { place: at, resource, key, ...track } of tracks.values()) {
    const object = revisionAt({ place: at, resource, key, ...track }, Infinity)?.object;
    if (object === undefined) continue;
    present.set(at, { place: at, resource, key, object });
    uids.add(object.metadata.uid);
  }
  const first = present.get(place);
  const found = new Set<Present>();
  const gone = new Set<string | undefined>();
  for (let going = first ? [first] : []; going.length > 0;) {
    for (const one of going) {
      found.add(one);
      gone.add(one.object.metadata.uid);
    }
    const contained = going.map(containedIn);
    going = [...present.values()].filter(
      (one) => !found.has(one) && (contained.some((has) => has(one)) || losesOwners(one, gone, uids)),
    );
  }
  return [...found]
    .filter((one) => one !== first)
    .map(({ place: at, key, object }) => ({ place: at, kind: object.kind, key }))
    .sort((a, b) => compareText(a.kind, b.kind) || compareText(a.key, b.key));
}

/** The garbage collector deletes what has owners of which none is there. */
function losesOwners(
  { object }: Present,
  gone: ReadonlySet<string | undefined>,
  present: ReadonlySet<string | undefined>,
): boolean {
  const owners = (object.metadata.ownerReferences ?? []).map(({ uid }) => uid);
  return owners.some((uid) => gone.has(uid)) && owners.every((uid) => gone.has(uid) || !present.has(uid));
}

function containedIn({ resource, key }: Present): (one: Present) => boolean {
  switch (resource) {
    case "namespaces":
      return (one) => one.key.startsWith(`${key}/`);
    case "customresourcedefinitions.apiextensions.k8s.io":
      return (one) => one.resource === key;
    default:
      return () => false;
  }
}
