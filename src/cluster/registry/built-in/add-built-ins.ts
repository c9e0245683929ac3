import type { Store } from "../../storage/store.ts";
import type { Registry } from "../registry.ts";
import type { Resource, SubresourceInfo, Verb } from "../resource.ts";
import { type CatalogLine, catalog } from "./catalog.ts";
import { defaultStrategy, resetNothing } from "./default-strategy.ts";
import { strategies } from "./strategies.ts";

const allVerbs: readonly Verb[] = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
];

/** Subresources that are the object itself, seen through a window; the others have code of their own. */
const windows: Readonly<Record<string, SubresourceInfo>> = {
  status: { verbs: ["get", "patch", "update"] },
  approval: { verbs: ["get", "patch", "update"] },
  finalize: { verbs: ["update"] },
};

/** Registers every built-in kind. */
export function addBuiltIns(registry: Registry): void {
  for (const { group, resources } of catalog) {
    for (const line of resources) registry.add(resourceOf(registry.store, group, line));
  }
}

function resourceOf(store: Store, group: string, line: CatalogLine): Resource {
  const { plural, kind, version } = line;
  const subresources = new Map<string, SubresourceInfo>();
  for (const name of line.subresources ?? []) {
    const info = windows[name];
    if (info) subresources.set(name, info);
  }
  const id = group === "" ? plural : `${plural}.${group}`;
  const fallback = subresources.has("status")
    ? defaultStrategy
    : { ...defaultStrategy, resetFields: resetNothing };
  return {
    group,
    plural,
    kind,
    singular: kind.toLowerCase(),
    listKind: `${kind}List`,
    shortNames: line.shortNames ?? [],
    categories: line.categories ?? [],
    namespaced: !line.cluster,
    verbs: line.verbs ?? allVerbs,
    versions: [{ name: version }],
    storageVersion: version,
    collection: store.collection(id),
    strategy: strategies.get(id) ?? fallback,
    subresources,
    custom: false,
    present: (entry) => entry,
    presentAll: (entries) => [...entries],
    convert: (object) => object,
  };
}
