import type { Kind, KubernetesList, KubernetesObject, StatusDetails } from "@tsbuilder/apimachinery/meta";
import { defineKind, parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { createMergePatch } from "@tsbuilder/apimachinery/patch";
import { type ConfigSource, HttpTransport } from "../http/http-transport.ts";
import { parseResponse } from "../http/json-body.ts";
import type { RawRequest, TransportOptions, CallOptions, RawResponse } from "../http/transport.ts";
import {
  asConflictIfReplaced,
  bodyToApply,
  bodyWithOwner,
  findFormerController,
  withIdentity,
} from "./apply-body.ts";
import {
  type ApplyConfiguration,
  type ApplyOptions,
  type Client,
  type ClientDefaults,
  type CreateOptions,
  type DeepReadonly,
  type DeleteAllOptions,
  type DeleteOptions,
  type Desired,
  type DesiredStatus,
  type MutateFn,
  type ObjectKey,
  type ObjectRef,
  type Patch,
  type PatchOptions,
  type Stored,
  type Subresource,
  type UncheckedRef,
  type WriteOptions,
  keyOf,
  type RestMapper,
  type UnstructuredObject,
} from "./client.ts";
import { isMissingObject, LiveContainers } from "./live-reader.ts";
import {
  applyRequest,
  deleteRequest,
  namespaceOf,
  patchRequest,
  requireNamespace,
  resourcePath,
  selectionQuery,
  typed,
  writeQuery,
} from "./requests.ts";
import { ApiError } from "../errors/api-error.ts";

/** The object as a deletion left it, or a Status with the details of the deleted object. */
export interface DeletionAnswer extends KubernetesObject {
  readonly details?: StatusDetails;
}

/**
 * Always asks the server; see `Client` for the contract of each call. `applyOver`, `deleteObject` and `deleteCollection`
 * are for the cached client, which needs more of their answers than `Client` returns.
 */
export class LiveClient extends LiveContainers implements Client {
  readonly mapper: DiscoveryMapper;

  constructor(transport: HttpTransport, defaults: ClientDefaults, mapper?: DiscoveryMapper) {
    super(transport, defaults);
    this.mapper = mapper ?? new DiscoveryMapper((request) => this.request(request));
  }

  with(defaults: ClientDefaults): LiveClient {
    return new LiveClient(this.transport, { ...this.defaults, ...defaults }, this.mapper);
  }

  /** Closes all connections; a later call opens new ones. */
  close(): Promise<void> {
    return this.transport.close();
  }

  async create<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    object: NoInfer<Desired<T, Key>>,
    options?: CreateOptions,
  ): Promise<Stored<T, Key>> {
    const body = bodyWithOwner(kind, object, options?.owner, this.defaults.namespace);
    return this.object(kind, {
      method: "POST",
      path: resourcePath(kind, { namespace: body.metadata.namespace }),
      query: writeQuery(this.write(options)),
      body,
      signal: options?.signal,
    });
  }

  async update<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    object: T,
    options?: WriteOptions,
  ): Promise<Stored<T, Key>> {
    return this.replace(kind, object, undefined, options);
  }

  async updateStatus<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    object: T,
    options?: WriteOptions,
  ): Promise<Stored<T, Key>> {
    return this.replace(kind, object, "status", options);
  }

  async patch<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    ref: DeepReadonly<T> | ObjectRef,
    change: MutateFn<T> | Patch,
    options: PatchOptions = {},
  ): Promise<Stored<T, Key>> {
    if (typeof change !== "function") return await this.rawPatch(kind, ref, change, undefined, options);
    const object = ref as DeepReadonly<T>;
    const draft = structuredClone(object) as unknown as T;
    change(draft);
    // The server ignores the status here where it is a subresource: a difference in it alone must send nothing.
    const { status: _, ...difference } = createMergePatch(object, draft) as { status?: unknown };
    return await this.patchDifference(kind, object, difference, undefined, options);
  }

  async patchStatus<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    object: NoInfer<DeepReadonly<T>>,
    status: NoInfer<DesiredStatus<T>>,
    options: PatchOptions = {},
  ): Promise<Stored<T, Key>> {
    const before = { status: (object as { status?: unknown }).status ?? {} };
    const difference = createMergePatch(before, { status });
    return await this.patchDifference(kind, object, difference, "status", options);
  }

  async apply<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    desired: NoInfer<Desired<T, Key>>,
    options: ApplyOptions = {},
  ): Promise<Stored<T, Key>> {
    const { owner, adoptOnlyMatching = false } = options;
    if (!owner && !adoptOnlyMatching) return this.applyOver(kind, desired, options, undefined);
    const { name, namespace = owner?.metadata.namespace } = keyOf(desired);
    const current = await this.find<T, ObjectKey>(kind, { name, namespace }, { signal: options.signal });
    return this.applyOver(kind, desired, options, current);
  }

  /**
   * Applies to an object that was read before. The server doesn't protect the controller reference: an apply of the
   * same field manager with another owner replaces the first one silently. The apply includes the uid of `current`: if
   * the object was deleted and created again, which a cache may not know yet, the server responds with a conflict.
   */
  async applyOver<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    desired: NoInfer<Desired<T, Key>>,
    options: ApplyOptions,
    current: Stored<T, ObjectKey> | undefined,
  ): Promise<Stored<T, Key>> {
    const { owner, adoptOnlyMatching = false } = options;
    const body = bodyToApply(kind, desired, owner, this.defaults.namespace);
    const other = current && findFormerController(kind, current, body, options);
    if (current && other) {
      const ownerReferences = current.metadata.ownerReferences?.filter(({ uid }) => uid !== other.uid);
      await this.patchDifference(kind, current, { metadata: { ownerReferences } }, undefined, options);
    }
    if (current && (owner || adoptOnlyMatching)) body.metadata.uid = current.metadata.uid;
    const request = applyRequest(this.path(kind, keyOf(body)), body, this.write(options));
    try {
      return await this.object(kind, request);
    } catch (error) {
      throw asConflictIfReplaced(error);
    }
  }

  async applyFields<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    object: NoInfer<Stored<T, Key>>,
    fields: NoInfer<ApplyConfiguration<T>>,
    options: ApplyOptions = {},
  ): Promise<Stored<T, Key>> {
    return this.apply(kind, withIdentity(object, fields), options);
  }

  async applyStatus<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    ref: ObjectRef<NoInfer<Key>>,
    status: Partial<DesiredStatus<T>>,
    options: Omit<ApplyOptions, "owner" | "adopt" | "adoptOnlyMatching"> = {},
  ): Promise<Stored<T, Key>> {
    const key = this.key(kind, ref);
    const body = typed(kind, { metadata: { name: key.name }, status }, key.namespace);
    return await this.object(kind, applyRequest(this.path(kind, key, "status"), body, this.write(options)));
  }

  async delete<Key extends ObjectKey>(
    kind: Kind<KubernetesObject, Key>,
    ref: ObjectRef<NoInfer<Key>>,
    options: DeleteOptions = {},
  ): Promise<boolean> {
    return (await this.deleteObject(kind, ref, options)) !== undefined;
  }

  /** Deletes. Returns the object if it remains for a while, else a Status; undefined if there was no object. */
  async deleteObject(
    kind: Kind,
    ref: ObjectRef,
    options: DeleteOptions,
  ): Promise<DeletionAnswer | undefined> {
    const path = this.path(kind, ref);
    try {
      const { text } = await this.request(deleteRequest(path, this.write(options)));
      return parseResponse(text, `DELETE ${path}`) as DeletionAnswer;
    } catch (error) {
      if (isMissingObject(error)) return undefined;
      throw error;
    }
  }

  async deleteAllOf<Key extends ObjectKey>(
    kind: Kind<KubernetesObject, Key>,
    options: DeleteAllOptions<NoInfer<Key>>,
  ): Promise<void> {
    await this.deleteCollection(kind, options);
  }

  /** Deletes, and returns the objects that were deleted; none if the server doesn't send them. */
  async deleteCollection(kind: Kind, options: DeleteAllOptions): Promise<KubernetesObject[]> {
    const namespace = namespaceOf(kind, this.defaults, options.namespace);
    const path = resourcePath(kind, { namespace: requireNamespace(kind, namespace) });
    const request = deleteRequest(path, this.write(options));
    const { text } = await this.request({ ...request, query: selectionQuery(options) });
    return (parseResponse(text, `DELETE ${path}`) as Partial<KubernetesList>).items ?? [];
  }

  readonly subresource: Client["subresource"] = <Body extends KubernetesObject>(
    kind: Kind,
    ref: ObjectRef,
    name: string,
  ): Subresource<Body> => {
    const path = this.path(kind, ref, name);
    const key = keyOf(ref);
    const exchange = async (request: RawRequest): Promise<Body> => {
      const { text } = await this.request(request);
      return parseResponse(text, `${request.method ?? "GET"} ${path}`) as Body;
    };
    // The server compares the name in the body, if there is one, with the name in the path.
    const withKey = (body: Partial<KubernetesObject>): object => ({
      ...body,
      metadata: { ...key, ...body.metadata },
    });
    // An apply must name its type; for other writes the server knows it.
    const type =
      name === "scale"
        ? { apiVersion: "autoscaling/v1", kind: "Scale" }
        : { apiVersion: kind.apiVersion, kind: kind.kind };
    const write = (method: "POST" | "PUT", body: object, options: WriteOptions = {}): Promise<Body> => {
      const query = writeQuery(this.write(options));
      return exchange({ method, path, query, body: withKey(body), signal: options.signal });
    };
    return {
      get: ({ signal } = {}) => exchange({ path, signal }),
      create: (body, options) => write("POST", body, options),
      update: (body, options) => write("PUT", body, options),
      patch: (patch, options) => exchange(patchRequest(path, patch, this.write(options))),
      apply: (body, options) =>
        exchange(applyRequest(path, { ...type, ...withKey(body as object) }, this.write(options))),
    };
  };

  private replace<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    object: T,
    subresource: string | undefined,
    options: WriteOptions = {},
  ): Promise<Stored<T, Key>> {
    const key = this.key(kind, object);
    return this.object(kind, {
      method: "PUT",
      path: this.path(kind, key, subresource),
      query: writeQuery(this.write(options)),
      body: typed(kind, object, key.namespace),
      signal: options.signal,
    });
  }

  /** Sends the difference to an object that was read before. Without any, returns the object and sends nothing. */
  private patchDifference<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    object: DeepReadonly<T>,
    difference: { metadata?: object },
    subresource: string | undefined,
    options: PatchOptions,
  ): Promise<Stored<T, Key>> {
    if (Object.keys(difference).length === 0) return Promise.resolve(object as Stored<T, Key>);
    const { resourceVersion } = object.metadata;
    const locked = options.optimisticLock !== false && resourceVersion !== undefined;
    const merge = locked
      ? { ...difference, metadata: { ...difference.metadata, resourceVersion } }
      : difference;
    return this.rawPatch(kind, object, { merge }, subresource, options);
  }

  private rawPatch<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    ref: UncheckedRef,
    patch: Patch,
    subresource: string | undefined,
    options: WriteOptions,
  ): Promise<Stored<T, Key>> {
    return this.object(kind, patchRequest(this.path(kind, ref, subresource), patch, this.write(options)));
  }
}

/** Options of a client. */
export interface ClientOptions extends TransportOptions, ClientDefaults {}

/** Creates a client that always asks the server. Nothing is sent, and no config loaded, before the first call. */
export function createClient(config: ConfigSource, options: ClientOptions = {}): LiveClient {
  return new LiveClient(new HttpTransport(config, options), options);
}

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
