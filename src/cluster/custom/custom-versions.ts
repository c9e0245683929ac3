import { parseApiVersion } from "@tsbuilder/apimachinery/meta";
import type { CompiledSchema } from "@tsbuilder/apimachinery/schema";
import type { ApiObject } from "../contract/api-object.ts";
import { Entry } from "../storage/entry.ts";
import type { CustomResourceDefinition } from "../kinds/apiextensions/custom-resource-definition.ts";

/** Converts objects to another version with the CRD's conversion webhook. */
export type ConvertObjects = (
  crd: CustomResourceDefinition,
  objects: readonly ApiObject[],
  apiVersion: string,
) => Promise<ApiObject[]>;

/** In milliseconds: watchers and readers of a change share a webhook's result, and its new code soon takes effect. */
const webhookResultLifetime = 1000;

interface Converted {
  readonly entry: Entry;
  /** As `performance.now()`; Infinity if no webhook was called. */
  readonly expiresAt: number;
}

/** Numbers the instances, so that results for an older state of a CRD are not used for a newer one. */
let instanceCount = 0;

/**
 * Serves the objects of a CRD in each of its versions. A stored object is pruned and defaulted by the schema of its own
 * version, converted, and pruned by the schema of the requested one. Entries cache the results.
 */
export class CustomVersions {
  readonly #crd: CustomResourceDefinition;
  readonly #schemas: ReadonlyMap<string, CompiledSchema>;
  readonly #convert: ConvertObjects;
  /** A part of the cache keys. */
  readonly #instance = ++instanceCount;
  /** The cache keys by version, computed once, because lists use them for every object. */
  readonly #keys = new Map<string, string>();

  constructor(
    crd: CustomResourceDefinition,
    schemas: ReadonlyMap<string, CompiledSchema>,
    convert: ConvertObjects,
  ) {
    this.#crd = crd;
    this.#schemas = schemas;
    this.#convert = convert;
  }

  /** Returns a stored object in a version; a promise if the webhook has to convert it. */
  present(entry: Entry, version: string): Entry | Promise<Entry> {
    const cached = this.#cached(entry, version);
    if (cached) return cached;
    if (!this.#needsWebhook(entry.object, version)) return this.#convertLocally(entry, version);
    return Promise.resolve(this.presentAll([entry], version)).then(([converted]) => converted!);
  }

  /** Returns stored objects in a version, converted with one webhook call if any needs it. */
  presentAll(entries: readonly Entry[], version: string): Entry[] | Promise<Entry[]> {
    const toConvert = entries.filter(
      (entry) => this.#needsWebhook(entry.object, version) && !this.#cached(entry, version),
    );
    const converted = (entry: Entry) => this.#cached(entry, version) ?? this.#convertLocally(entry, version);
    if (toConvert.length === 0) return entries.map(converted);
    const objects = toConvert.map(({ object }) => this.#pruneAndDefault(object));
    return this.#convert(this.#crd, objects, this.#apiVersion(version)).then((results) => {
      for (const [index, entry] of toConvert.entries()) this.#remember(entry, version, results[index]!);
      return entries.map(converted);
    });
  }

  /** Converts an object that is not an entry: it is not defaulted, and nothing is cached. */
  convert(object: ApiObject, version: string): ApiObject | Promise<ApiObject> {
    if (object.apiVersion === this.#apiVersion(version)) return object;
    if (!this.#needsWebhook(object, version)) return this.#prune(this.#rename(object, version), version);
    return this.#convert(this.#crd, [object], this.#apiVersion(version)).then(([converted]) =>
      this.#prune(converted!, version),
    );
  }

  #needsWebhook(object: ApiObject, version: string): boolean {
    return (
      this.#crd.spec.conversion?.strategy === "Webhook" && object.apiVersion !== this.#apiVersion(version)
    );
  }

  /** The cached entry in a version; undefined if there is none, or the result of a webhook is too old. */
  #cached(entry: Entry, version: string): Entry | undefined {
    const key = this.#keyOf(version);
    if (entry.shownBy === key) return entry;
    const cached = entry.derived(key) as Converted | undefined;
    if (!cached || cached.expiresAt === Number.POSITIVE_INFINITY) return cached?.entry;
    return performance.now() < cached.expiresAt ? cached.entry : undefined;
  }

  #keyOf(version: string): string {
    let key = this.#keys.get(version);
    if (!key) this.#keys.set(version, (key = `${this.#instance}/${version}`));
    return key;
  }

  /** Converts an entry without a webhook. Most are returned as stored: no defaults missing, no unknown fields. */
  #convertLocally(entry: Entry, version: string): Entry {
    const object = this.#rename(this.#pruneAndDefault(entry.object), version);
    if (object === entry.object) {
      entry.shownBy = this.#keyOf(version);
      return entry;
    }
    return this.#remember(entry, version, object);
  }

  /** Prunes and caches a converted object. */
  #remember(entry: Entry, version: string, converted: ApiObject): Entry {
    const object = this.#prune(converted, version);
    const key = this.#keyOf(version);
    const result = new Entry(entry.key, entry.revision, object);
    const expiresAt = this.#needsWebhook(entry.object, version)
      ? performance.now() + webhookResultLifetime
      : Number.POSITIVE_INFINITY;
    entry.remember(key, { entry: result, expiresAt } satisfies Converted);
    return result;
  }

  #rename(object: ApiObject, version: string): ApiObject {
    const apiVersion = this.#apiVersion(version);
    return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
  }

  /** Prunes and defaults a stored object by the schema of its own version, if the CRD still has it. */
  #pruneAndDefault(object: ApiObject): ApiObject {
    const schema = this.#schemas.get(parseApiVersion(object.apiVersion).version);
    return schema ? schema.applyDefaults(schema.prune(object).object) : object;
  }

  /** Removes the fields that a version does not have. */
  #prune(object: ApiObject, version: string): ApiObject {
    return this.#schemas.get(version)!.prune(object).object;
  }

  #apiVersion(version: string): string {
    return `${this.#crd.spec.group}/${version}`;
  }
}
