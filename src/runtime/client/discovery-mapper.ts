import { defineKind, type Kind, parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { ApiError } from "../errors/api-error.ts";
import { parseResponse } from "../http/json-body.ts";
import type { CallOptions, RawRequest, RawResponse } from "../http/transport.ts";
import type { RestMapper, UnstructuredObject } from "./client.ts";

/** Finds kinds by discovery, and caches them until `reset`. Sends two requests if discovery is aggregated. */
export class DiscoveryMapper implements RestMapper {
  readonly #send: (request: RawRequest) => Promise<RawResponse>;
  #kinds: Promise<Kind<UnstructuredObject>[]> | undefined;

  constructor(send: (request: RawRequest) => Promise<RawResponse>) {
    this.#send = send;
  }

  async kindFor(
    { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
    options: CallOptions = {},
  ): Promise<Kind<UnstructuredObject>> {
    const isCached = this.#kinds !== undefined;
    const matches = (candidate: Kind): boolean =>
      candidate.apiVersion === apiVersion && candidate.kind === kind;
    const found = (await this.#discoverOnce(options)).find(matches);
    if (found) return found;
    // The result may be outdated: the kind's CRD may be new.
    this.reset();
    if (isCached) return this.kindFor({ apiVersion, kind }, options);
    const message = `the server has no kind "${kind}" in "${apiVersion}"`;
    throw new ApiError({ code: 404, reason: "NoKindMatch", message });
  }

  async kinds(options: CallOptions = {}): Promise<Kind<UnstructuredObject>[]> {
    const seen = new Set<string>();
    // Versions are in the server's order of preference.
    return (await this.#discoverOnce(options)).filter(({ group, kind }) => {
      const name = `${group}/${kind}`;
      return seen.has(name) ? false : seen.add(name);
    });
  }

  reset(): void {
    this.#kinds = undefined;
  }

  #discoverOnce(options: CallOptions): Promise<Kind<UnstructuredObject>[]> {
    this.#kinds ??= this.#discover(options).catch((error: unknown) => {
      this.reset();
      throw error;
    });
    return this.#kinds;
  }

  async #discover(options: CallOptions): Promise<Kind<UnstructuredObject>[]> {
    const [core, groups] = await Promise.all([
      this.#get<GroupDiscoveryList | GroupList>("/api", options),
      this.#get<GroupDiscoveryList | GroupList>("/apis", options),
    ]);
    if (!isAggregated(core) || !isAggregated(groups)) return this.#discoverEach(groups, options);
    return [...core.items, ...groups.items].flatMap(({ metadata, versions }) =>
      versions.flatMap(({ version, resources = [] }) =>
        resources.map(({ resource, responseKind, scope }) =>
          defineKind<UnstructuredObject>(
            { group: metadata?.name ?? "", version },
            { kind: responseKind.kind, plural: resource, scope },
          ),
        ),
      ),
    );
  }

  /** One request per group and version, for servers before 1.30, which don't have v2 of aggregated discovery. */
  async #discoverEach(
    { groups = [] }: GroupDiscoveryList | GroupList,
    options: CallOptions,
  ): Promise<Kind<UnstructuredObject>[]> {
    const groupVersions = [
      "v1",
      ...groups.flatMap(({ versions }) => versions.map((version) => version.groupVersion)),
    ];
    const lists = await Promise.all(
      groupVersions.map(async (groupVersion) => {
        const path = groupVersion === "v1" ? "/api/v1" : `/apis/${groupVersion}`;
        // The kinds of an aggregated API that is unavailable are omitted: it must not hide all others.
        const { resources } = await this.#get<ResourceList>(path, options).catch(() => ({ resources: [] }));
        return resources
          .filter(({ name }) => !name.includes("/"))
          .map(({ name, kind, namespaced }) =>
            defineKind<UnstructuredObject>(parseApiVersion(groupVersion), {
              kind,
              plural: name,
              scope: namespaced ? "Namespaced" : "Cluster",
            }),
          );
      }),
    );
    return lists.flat();
  }

  async #get<T>(path: string, { signal }: CallOptions): Promise<T> {
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
    const { text } = await this.#send({ path, headers: { accept }, signal });
    return parseResponse(text, `GET ${path}`) as T;
  }
}

interface GroupList {
  kind: string;
  groups?: { versions: { groupVersion: string }[] }[];
}

interface GroupDiscoveryList {
  kind: "APIGroupDiscoveryList";
  groups?: never;
  items: {
    metadata?: { name?: string };
    versions: {
      version: string;
      resources?: { resource: string; responseKind: { kind: string }; scope: "Namespaced" | "Cluster" }[];
    }[];
  }[];
}

interface ResourceList {
  resources: { name: string; kind: string; namespaced: boolean }[];
}

function isAggregated(list: GroupDiscoveryList | GroupList): list is GroupDiscoveryList {
  return list.kind === "APIGroupDiscoveryList";
}
