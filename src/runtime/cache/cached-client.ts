import type { Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { bodyToApply, withIdentity } from "../client/apply-body.ts";
import {
  type Client,
  type ClientDefaults,
  type DeepReadonly,
  type DeleteAllOptions,
  type MutateFn,
  type ObjectKey,
  type ObjectRef,
  type Patch,
  type PatchOptions,
  type ReadOptions,
  type Stored,
  type Subresource,
  type WriteOptions,
  keyOf,
} from "../client/client.ts";
import { namespaceOf } from "../client/requests.ts";
import type { DeletionAnswer, LiveClient } from "../client/live-client.ts";
import { hashOf, isAppliedAlready, ownedFieldsHash } from "./applied-fields.ts";
import type { ObjectCache } from "./cache.ts";
import { freezeShared } from "./object-store.ts";

/** Creates a client that reads from a cache and writes to the server. Its reads include its writes. */
export function createCachedClient(live: LiveClient, cache: ObjectCache): Client {
  return new CachedClient(live, cache, live.defaults, new ApplyMemory());
}

/**
 * Reads from the cache, writes live, and passes its writes to the cache; see `Client` for the contract of each call. As in
 * `LiveReader`, members are private by type only: wrappers made by `Object.create(client)` have no access to `#` members.
 */
class CachedClient implements Client {
  private readonly live: LiveClient;
  private readonly cache: ObjectCache;
  private readonly defaults: ClientDefaults;
  private readonly memory: ApplyMemory;
  readonly mapper: Client["mapper"];
  readonly pages: Client["pages"];
  readonly watch: Client["watch"];
  readonly logs: Client["logs"];
  readonly exec: Client["exec"];
  readonly openPort: Client["openPort"];
  readonly portForward: Client["portForward"];
  readonly request: Client["request"];

  constructor(live: LiveClient, cache: ObjectCache, defaults: ClientDefaults, memory: ApplyMemory) {
    this.live = live;
    this.cache = cache;
    this.defaults = defaults;
    this.memory = memory;
    this.mapper = live.mapper;
    this.pages = live.pages.bind(live);
    this.watch = live.watch.bind(live);
    this.logs = live.logs.bind(live);
    this.exec = live.exec.bind(live);
    this.openPort = live.openPort.bind(live);
    this.portForward = live.portForward.bind(live);
    this.request = live.request.bind(live);
  }

  with(defaults: ClientDefaults): Client {
    const merged = { ...this.defaults, ...defaults };
    return new CachedClient(this.live.with(defaults), this.cache, merged, this.memory);
  }

  readonly find: Client["find"] = async (kind, key, options) => {
    const pause = this.live.pause();
    if (pause) await pause;
    return await this.cache.find(kind, this.resolveKey(kind, key), this.readOptions(options));
  };

  readonly get: Client["get"] = async (kind, key, options) => {
    const pause = this.live.pause();
    if (pause) await pause;
    return await this.cache.get(kind, this.resolveKey(kind, key), this.readOptions(options));
  };

  readonly list: Client["list"] = async (kind, options = {}) => {
    const namespace = namespaceOf(kind, this.defaults, options.namespace);
    const pause = this.live.pause();
    if (pause) await pause;
    return this.cache.list(kind, { ...options, ...this.readOptions(options), namespace });
  };

  readonly create: Client["create"] = (kind, object, options) =>
    this.recordWrite(kind, this.live.create(kind, object, options), options);

  readonly update: Client["update"] = (kind, object, options) =>
    this.recordWrite(kind, this.live.update(kind, object, options), options);

  readonly updateStatus: Client["updateStatus"] = (kind, object, options) =>
    this.recordWrite(kind, this.live.updateStatus(kind, object, options), options);

  patch<T extends KubernetesObject, Key extends ObjectKey>(
    kind: Kind<T, Key>,
    ref: DeepReadonly<T> | ObjectRef,
    change: MutateFn<T> | Patch,
    options?: PatchOptions,
  ): Promise<Stored<T, Key>> {
    return this.recordWrite(kind, this.live.patch(kind, ref, change, options), options);
  }

  readonly patchStatus: Client["patchStatus"] = (kind, object, status, options) =>
    this.recordWrite(kind, this.live.patchStatus(kind, object, status, options), options);

  readonly apply: Client["apply"] = async (kind, desired, options = {}) => {
    const pause = this.live.pause();
    if (pause) await pause;
    const informer = this.cache.existing(kind);
    if (options.live || !informer?.hasSynced || this.isDry(options)) {
      return freezeShared(await this.recordWrite(kind, this.live.apply(kind, desired, options), options));
    }
    const body = bodyToApply(kind, desired, options.owner, this.defaults.namespace);
    const key = keyOf(body);
    if (!informer.covers(key.namespace))
      return freezeShared(await this.recordWrite(kind, this.live.apply(kind, desired, options), options));
    const manager = options.fieldManager ?? this.defaults.fieldManager ?? "";
    const id = `${kind.apiVersion}/${kind.kind}/${key.namespace}/${key.name}/${manager}`;
    const call = { id, manager, desired: hashOf(body) };
    const current = informer.get(key);
    if (current && this.memory.isCurrent(call, current)) return current;
    if (current && isAppliedAlready(manager, current, body)) {
      this.memory.remember(call, current);
      return current;
    }
    // An object that isn't in the cache may still exist outside of the cache's selection.
    const applied = current
      ? await this.live.applyOver(kind, desired, options, current)
      : await this.live.apply(kind, desired, options);
    this.cache.wrote(kind, applied);
    // The cache may drop fields of the answer. Later applies are compared with the object as it is cached.
    const cached = informer.get(key) ?? applied;
    // If the watch delivered a later change before the answer came, the next apply must be sent.
    if (cached.metadata.resourceVersion !== applied.metadata.resourceVersion) return freezeShared(applied);
    this.memory.remember(call, cached);
    return freezeShared(cached);
  };

  readonly applyFields: Client["applyFields"] = (kind, object, fields, options) =>
    this.apply(kind, withIdentity(object, fields), options);

  readonly applyStatus: Client["applyStatus"] = (kind, ref, status, options) =>
    this.recordWrite(kind, this.live.applyStatus(kind, ref, status, options), options);

  readonly delete: Client["delete"] = async (kind, ref, options = {}) => {
    const answer = await this.live.deleteObject(kind, ref, options);
    if (!answer || this.isDry(options)) return answer !== undefined;
    const uid = answer.details?.uid ?? answer.metadata.uid;
    if (isRemaining(answer)) this.cache.wrote(kind, answer);
    else this.cache.wroteDeletion(kind, this.resolveKey(kind, keyOf(ref)), uid);
    return true;
  };

  readonly deleteAllOf: Client["deleteAllOf"] = async (kind, options) => {
    const deleted = await this.live.deleteCollection(kind, options);
    if (this.isDry(options) || mayRemain(kind, options)) return;
    for (const object of deleted) {
      if (object.metadata.finalizers?.length) continue;
      this.cache.wroteDeletion(kind, keyOf(object), object.metadata.uid);
    }
  };

  readonly subresource: Client["subresource"] = <Body extends KubernetesObject>(
    kind: Kind,
    ref: ObjectRef,
    name: string,
  ): Subresource<Body> => {
    const live = this.live.subresource<Body>(kind, ref, name);
    // The server answers writes of status, resize and approval with the whole object; the cache holds no Scale.
    const record = async (writing: Promise<Body>, options: WriteOptions | undefined): Promise<Body> => {
      const body = await writing;
      if (body.kind === kind.kind && body.apiVersion === kind.apiVersion && !this.isDry(options))
        this.cache.wrote(kind, body);
      return body;
    };
    return {
      get: (options) => live.get(options),
      create: (body, options) => record(live.create(body, options), options),
      update: (body, options) => record(live.update(body, options), options),
      patch: (patch, options) => record(live.patch(patch, options), options),
      apply: (body, options) => record(live.apply(body, options), options),
    };
  };

  /** Passes the result of a write to the cache, and returns it. */
  private async recordWrite<Written extends KubernetesObject>(
    kind: Kind,
    write: Promise<Written>,
    options: WriteOptions | undefined,
  ): Promise<Written> {
    const object = await write;
    if (!this.isDry(options)) this.cache.wrote(kind, object);
    return object;
  }

  private isDry(options: { readonly dryRun?: boolean | undefined } | undefined): boolean {
    return options?.dryRun ?? this.defaults.dryRun ?? false;
  }

  private resolveKey<Key extends ObjectKey>(
    kind: Kind<KubernetesObject, Key>,
    { name, namespace }: Key,
  ): Key {
    return { name, namespace: namespaceOf(kind, this.defaults, namespace) } as Key;
  }

  private readOptions(options: ReadOptions | undefined): ReadOptions {
    return this.defaults.live === undefined ? (options ?? {}) : { live: this.defaults.live, ...options };
  }
}

/** A call of `apply`. */
interface ApplyCall {
  /** Identifies the object and the field manager. */
  readonly id: string;
  readonly manager: string;
  /** A hash of the desired object. */
  readonly desired: string;
}

/** The hashes of the desired object, of the object after the apply, and of the fields that the manager owns in it. */
interface ApplyResult {
  readonly desired: string;
  readonly outcome: string;
  readonly owned: string | undefined;
}

/** Remembers the result of the last apply of each object, so that one that would change nothing is not sent. */
export class ApplyMemory {
  readonly #results = new Map<string, ApplyResult>();
  readonly #capacity: number;

  /** Beyond this many objects, the least recently applied ones are applied once more. */
  constructor(capacity = 50_000) {
    this.#capacity = capacity;
  }

  /**
   * Returns true if the last apply was the same and the object is still its result, with the same values and owned
   * fields. Another manager may have taken a field in the meantime without changing its value.
   */
  isCurrent({ id, manager, desired }: ApplyCall, current: KubernetesObject): boolean {
    const last = this.#results.get(id);
    if (last === undefined || last.desired !== desired) return false;
    return last.outcome === fingerprintOf(current) && last.owned === ownedFieldsHash(manager, current);
  }

  remember({ id, manager, desired }: ApplyCall, outcome: KubernetesObject): void {
    this.#results.delete(id);
    const owned = ownedFieldsHash(manager, outcome);
    this.#results.set(id, { desired, outcome: fingerprintOf(outcome), owned });
    if (this.#results.size <= this.#capacity) return;
    const [oldest] = this.#results.keys();
    this.#results.delete(oldest!);
  }
}

/** Cached objects are frozen, so a fingerprint holds for as long as the object lives. */
const fingerprints = new WeakMap<KubernetesObject, string>();

/** A hash of everything that an apply can set: without the status, and what the server changes with every write. */
function fingerprintOf(object: KubernetesObject): string {
  const known = fingerprints.get(object);
  if (known !== undefined) return known;
  const { status: _, metadata, ...rest } = object as KubernetesObject & { status?: unknown };
  const { resourceVersion: _1, generation: _2, managedFields: _3, ...stable } = metadata;
  const fingerprint = hashOf([stable, rest]);
  fingerprints.set(object, fingerprint);
  return fingerprint;
}

/** Returns true if deleted objects may remain: pods until they terminate, others until dependents are deleted. */
function mayRemain(kind: Kind, options: DeleteAllOptions): boolean {
  const { propagationPolicy = "Background" } = options;
  return propagationPolicy !== "Background" || (kind.group === "" && kind.kind === "Pod");
}

/** Some kinds answer with the object even if it is gone. The metadata of one that remains says why. */
function isRemaining({ kind, metadata }: DeletionAnswer): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers } = metadata;
  if (kind === "Status" || deletionTimestamp === undefined) return false;
  return deletionGracePeriodSeconds > 0 || Boolean(finalizers?.length);
}
