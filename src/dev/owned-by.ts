import type { Client, Kind, KubernetesObject } from "@tsbuilder/runtime";

/** The kinds of the objects that each object owns, of all kinds that the client may list. */
export async function ownedBy(
  client: Client,
  owners: readonly Pick<KubernetesObject, "metadata">[],
): Promise<ReadonlyMap<string, readonly Kind[]>> {
  const owned = new Map<string, Set<Kind>>(owners.map(({ metadata }) => [metadata.uid!, new Set()]));
  for (const kind of await client.mapper.kinds()) {
    // Some kinds can't be listed at all, such as those of reviews.
    const objects = await client.list(kind).catch(() => []);
    for (const { metadata } of objects) {
      for (const { uid } of metadata.ownerReferences ?? []) owned.get(uid)?.add(kind);
    }
  }
  return new Map([...owned].map(([uid, kinds]) => [uid, [...kinds]]));
}
