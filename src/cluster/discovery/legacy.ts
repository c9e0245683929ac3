import { apiVersionOf } from "@tsbuilder/apimachinery/meta";
import type { Registry } from "../registry/registry.ts";
import { type Resource, subresourcesIn } from "../registry/resource.ts";
import { groupsOf } from "./groups.ts";

/** `/api`: the versions of the core group. */
export function coreVersions(serverAddress: string): object {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }],
  };
}

/** `/apis`: all groups but the core one. */
export function groupList(registry: Registry): object {
  const groups = groupsOf(registry)
    .filter(({ name }) => name !== "")
    .map((group) => groupBody(group.name, group.versions));
  return { kind: "APIGroupList", apiVersion: "v1", groups };
}

/** `/apis/apps`: one group. */
export function groupDocument(registry: Registry, name: string): object | undefined {
  const group = groupsOf(registry).find((each) => each.name === name);
  return group && { kind: "APIGroup", apiVersion: "v1", ...groupBody(name, group.versions) };
}

function groupBody(name: string, versions: readonly string[]) {
  const all = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: all, preferredVersion: all[0] };
}

/** `/apis/apps/v1`, `/api/v1`: the resources of one version. */
export function resourceList(registry: Registry, group: string, version: string): object | undefined {
  if (!registry.servesGroupVersion(group, version)) return undefined;
  const served = registry
    .all()
    .filter((resource) => resource.group === group && resource.versions.some(({ name }) => name === version));
  return {
    kind: "APIResourceList",
    ...(group !== "" && { apiVersion: "v1" }),
    groupVersion: apiVersionOf({ group, version }),
    resources: served.flatMap((resource) => [resourceLine(resource), ...subresourceLines(resource, version)]),
  };
}

function resourceLine(resource: Resource) {
  return {
    name: resource.plural,
    singularName: resource.singular,
    namespaced: resource.namespaced,
    kind: resource.kind,
    verbs: resource.verbs,
    ...(resource.shortNames.length > 0 && { shortNames: resource.shortNames }),
    ...(resource.categories.length > 0 && { categories: resource.categories }),
    ...(resource.storageVersionHash && { storageVersionHash: resource.storageVersionHash }),
  };
}

function subresourceLines(resource: Resource, version: string) {
  return [...subresourcesIn(resource, version)].map(([name, { verbs, body }]) => ({
    name: `${resource.plural}/${name}`,
    singularName: "",
    namespaced: resource.namespaced,
    ...(body && { group: body.group, version: body.version }),
    kind: body?.kind ?? resource.kind,
    verbs,
  }));
}
