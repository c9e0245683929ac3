import { createHash } from "node:crypto";
import { apiVersionOf } from "@tsbuilder/apimachinery/meta";
import { compareVersions } from "@tsbuilder/apimachinery/naming";
import { type Registry, resourcesIn } from "../registry/registry.ts";
import { type Reply, type RequestContext, preferredReply } from "../http/request-context.ts";
import { type Resource, subresourcesIn } from "../registry/resource.ts";
import type { RemoteResource, RemoteVersion } from "../handlers/connect/aggregated-apis.ts";

/** All that is served: by this server, and by those behind it. */
export interface Catalog {
  readonly registry: Registry;
  readonly remote: () => readonly RemoteVersion[];
}

/** Answers `/api`, `/apis` and the paths of groups and versions below them; undefined for other paths. */
export function handleDiscovery(catalog: Catalog, context: RequestContext): Reply | undefined {
  const parts = context.info.path.split("/").filter((part) => part !== "");
  const [root, first, second] = parts;
  if ((root !== "api" && root !== "apis") || parts.length > (root === "api" ? 2 : 3)) return undefined;
  if (parts.length === 1) return rootDocument(catalog, context, root === "api");
  const document =
    root === "api"
      ? resourceList(catalog.registry, "", first!)
      : second === undefined
        ? groupDocument(catalog, first!)
        : resourceList(catalog.registry, first!, second);
  return document && preferredReply(context, document);
}

/** `/api` or `/apis`: the versions or groups, or all their resources if the client accepts aggregated discovery. */
function rootDocument(catalog: Catalog, context: RequestContext, isCore: boolean): Reply {
  const version = aggregatedVersion(context.request.headers.accept ?? "");
  if (!version) {
    const serverAddressByClientCIDRs = [
      { clientCIDR: "0.0.0.0/0", serverAddress: context.request.headers.host ?? "" },
    ];
    const coreVersions = { kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs };
    return preferredReply(context, isCore ? coreVersions : groupList(catalog));
  }
  const body = Buffer.from(JSON.stringify(aggregatedDiscovery(catalog, isCore, version)));
  const etag = `"${createHash("sha512").update(body).digest("hex").toUpperCase()}"`;
  const headers = { ETag: etag, Vary: "Accept" };
  if (context.request.headers["if-none-match"] === etag) return { code: 304, headers };
  const contentType = `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
  return { code: 200, contentType, headers, body };
}

/** The version of aggregated discovery that a client prefers, if any; kubectl up to 1.29 only accepts v2beta1. */
function aggregatedVersion(accept: string): string | undefined {
  for (const clause of accept.split(",")) {
    const [type, ...parameters] = clause.split(";").map((part) => part.trim());
    if (type !== "application/json" && type !== "*/*") continue;
    const options = new Map(parameters.map((parameter) => parameter.split("=") as [string, string]));
    if (options.get("as") === undefined) return undefined;
    const version = options.get("v");
    const isAggregated =
      options.get("g") === "apidiscovery.k8s.io" && options.get("as") === "APIGroupDiscoveryList";
    if (isAggregated && (version === "v2" || version === "v2beta1")) return version;
  }
  return undefined;
}

/** `/apis`: all groups but the core one. */
function groupList(catalog: Catalog): object {
  const groups = allGroups(catalog)
    .filter(({ name }) => name !== "")
    .map((group) => groupBody(group.name, group.versions));
  return { kind: "APIGroupList", apiVersion: "v1", groups };
}

/** `/apis/apps`: one group. */
function groupDocument(catalog: Catalog, name: string): object | undefined {
  const group = allGroups(catalog).find((candidate) => candidate.name === name);
  return group && { kind: "APIGroup", apiVersion: "v1", ...groupBody(name, group.versions) };
}

function groupBody(name: string, versions: readonly string[]) {
  const groupVersions = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: groupVersions, preferredVersion: groupVersions[0] };
}

/** `/apis/apps/v1`, `/api/v1`: the resources of one version. */
function resourceList(registry: Registry, group: string, version: string): object | undefined {
  if (!registry.servesGroupVersion(group, version)) return undefined;
  const served = resourcesIn(registry, group, version);
  return {
    kind: "APIResourceList",
    ...(group !== "" && { apiVersion: "v1" }),
    groupVersion: apiVersionOf({ group, version }),
    resources: served.flatMap((resource) => [apiResource(resource), ...apiSubresources(resource, version)]),
  };
}

function apiResource(resource: Resource) {
  return {
    name: resource.plural,
    singularName: resource.singular,
    namespaced: resource.namespaced,
    kind: resource.kind,
    verbs: resource.verbs,
    ...shortNamesAndCategories(resource),
    ...(resource.storageVersionHash && { storageVersionHash: resource.storageVersionHash }),
  };
}

function shortNamesAndCategories({ shortNames, categories }: Resource) {
  return { ...(shortNames.length > 0 && { shortNames }), ...(categories.length > 0 && { categories }) };
}

function apiSubresources(resource: Resource, version: string) {
  return [...subresourcesIn(resource, version)].map(([name, { verbs, body }]) => ({
    name: `${resource.plural}/${name}`,
    singularName: "",
    namespaced: resource.namespaced,
    ...(body && { group: body.group, version: body.version }),
    kind: body?.kind ?? resource.kind,
    verbs,
  }));
}

/** The document of aggregated discovery: the core group at `/api`, all others at `/apis`. */
function aggregatedDiscovery(catalog: Catalog, isCore: boolean, documentVersion: string): object {
  const { registry, remote } = catalog;
  const others = remote();
  const describeVersion = (group: string, version: string): object => {
    const other = others.find((each) => each.group === group && each.version === version);
    const resources = other
      ? describeRemote(other)
      : resourcesIn(registry, group, version).map((resource) => describeResource(resource, version));
    return { version, resources, freshness: (other?.isAvailable ?? true) ? "Current" : "Stale" };
  };
  const items = allGroups(catalog)
    .filter(({ name }) => (name === "") === isCore)
    .map(({ name, versions }) => ({
      metadata: name === "" ? {} : { name },
      versions: versions.map((version) => describeVersion(name, version)),
    }));
  const apiVersion = `apidiscovery.k8s.io/${documentVersion}`;
  return { kind: "APIGroupDiscoveryList", apiVersion, metadata: {}, items };
}

/** A resource in aggregated discovery: an APIResourceDiscovery. */
function describeResource(resource: Resource, version: string) {
  const { custom, group } = resource;
  const subresources = subresourcesIn(resource, version);
  // Built-in kinds omit group and version: those of the document apply.
  const responseKind = { group: custom ? group : "", version: custom ? version : "", kind: resource.kind };
  return {
    resource: resource.plural,
    responseKind,
    scope: resource.namespaced ? "Namespaced" : "Cluster",
    singularResource: resource.singular,
    verbs: resource.verbs,
    ...shortNamesAndCategories(resource),
    ...(subresources.size > 0 && {
      subresources: [...subresources].map(([subresource, { verbs, body }]) => ({
        subresource,
        responseKind: body ?? responseKind,
        verbs,
      })),
    }),
  };
}

/** Resources of another server in aggregated discovery; those that it lists with a slash are subresources. */
function describeRemote({ group, version, resources }: RemoteVersion) {
  const kindOf = (resource: RemoteResource) => ({
    group: resource.group || group,
    version: resource.version || version,
    kind: resource.kind,
  });
  return resources
    .filter(({ name }) => !name.includes("/"))
    .map((resource) => {
      const { name, namespaced, singularName, verbs, shortNames, categories } = resource;
      const subresources = resources
        .filter((each) => each.name.startsWith(`${name}/`))
        .map((each) => ({
          subresource: each.name.slice(name.length + 1),
          responseKind: kindOf(each),
          verbs: each.verbs,
        }));
      return {
        resource: name,
        responseKind: kindOf(resource),
        scope: namespaced ? "Namespaced" : "Cluster",
        singularResource: singularName,
        verbs,
        ...(shortNames.length > 0 && { shortNames }),
        ...(categories.length > 0 && { categories }),
        ...(subresources.length > 0 && { subresources }),
      };
    });
}

/** The groups of all servers; those of others come last, whatever their priority. */
function allGroups({ registry, remote }: Catalog) {
  const groups = new Map(groupsOf(registry).map(({ name, versions }) => [name, new Set(versions)]));
  for (const { group, version } of remote())
    groups.set(group, (groups.get(group) ?? new Set<string>()).add(version));
  return [...groups].map(([name, versions]) => ({ name, versions: [...versions].sort(compareVersions) }));
}

/** The groups that this server serves, each with its preferred version first. Built-in groups come first: their short names win. */
export function groupsOf(registry: Registry) {
  const groups = new Map<string, Set<string>>();
  for (const { group, versions } of registry.all()) {
    const names = groups.get(group) ?? new Set();
    groups.set(group, names);
    for (const { name } of versions) names.add(name);
  }
  return [...groups].map(([name, versions]) => ({ name, versions: [...versions].sort(compareVersions) }));
}

/** The paths besides those of groups and versions. */
const otherPaths = [
  "/.well-known/openid-configuration",
  "/healthz",
  "/healthz/ping",
  "/livez",
  "/livez/ping",
  "/openapi/v2",
  "/openapi/v3",
  "/openapi/v3/",
  "/openid/v1/jwks",
  "/readyz",
  "/readyz/ping",
  "/version",
];

/** `/`: the paths of the server, sorted. */
export function pathIndex(catalog: Catalog): object {
  const groups = allGroups(catalog).flatMap(({ name, versions }) => {
    const root = name === "" ? "/api" : `/apis/${name}`;
    return [root, ...versions.map((version) => `${root}/${version}`)];
  });
  return { paths: [...groups, "/apis", "/apis/", ...otherPaths].sort() };
}
