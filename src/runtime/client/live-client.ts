import type { Kind, KubernetesList, KubernetesObject, StatusDetails } from "@tsbuilder/apimachinery/meta";
import { createMergePatch } from "@tsbuilder/apimachinery/patch";
import { type ConfigSource, HttpTransport } from "../http/http-transport.ts";
import { parseResponse } from "../http/json-body.ts";
import type { RawRequest, TransportOptions } from "../http/transport.ts";
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
} from "./client.ts";
import { DiscoveryMapper } from "./discovery-mapper.ts";
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
