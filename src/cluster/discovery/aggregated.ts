import type { Registry } from "../registry/registry.ts";
import { type Resource, subresourcesIn } from "../registry/resource.ts";
import { groupsOf } from "./groups.ts";

/** Aggregated discovery: the core group at `/api`, all others at `/apis`. */
export function aggregatedDiscovery(registry: Registry, core: boolean, documentVersion: string): object {
  const all = registry.all();
  const items = groupsOf(registry)
    .filter(({ name }) => (name === "") === core)
    .map(({ name, versions }) => ({
      metadata: name === "" ? {} : { name },
      versions: versions.map((version) => ({
        version,
        resources: all
          .filter((each) => each.group === name && each.versions.some((served) => served.name === version))
          .map((resource) => describe(resource, version)),
        freshness: "Current",
      })),
    }));
  const apiVersion = `apidiscovery.k8s.io/${documentVersion}`;
  return { kind: "APIGroupDiscoveryList", apiVersion, metadata: {}, items };
}

function describe(resource: Resource, version: string) {
  const { custom, group } = resource;
  const subresources = subresourcesIn(resource, version);
  /** Built-in kinds omit group and version: those of the document apply. */
  const own = { group: custom ? group : "", version: custom ? version : "", kind: resource.kind };
  return {
    resource: resource.plural,
    responseKind: own,
    scope: resource.namespaced ? "Namespaced" : "Cluster",
    singularResource: resource.singular,
    verbs: resource.verbs,
    ...(resource.shortNames.length > 0 && { shortNames: resource.shortNames }),
    ...(resource.categories.length > 0 && { categories: resource.categories }),
    ...(subresources.size > 0 && {
      subresources: [...subresources].map(([subresource, { verbs, body }]) => ({
        subresource,
        responseKind: body ?? own,
        verbs,
      })),
    }),
  };
}
