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

let builds = 0;

/**
 * The time for which the result of a conversion webhook is cached: watchers and readers of one change share it, and
 * changes of the webhook's code take effect.
 */
const conversionCountsMilliseconds = 1000;

/** A converted entry and when it expires. */
interface Presented {
  readonly shown: Entry;
  readonly until: number;
}

/**
 * Converts the objects of a CRD to each of its versions: prunes and defaults them by the schema of their stored version,
 * then converts, and prunes by the schema of the other version.
 */
export class CustomVersions {
  readonly #crd: CustomResourceDefinition;
  readonly #schemas: ReadonlyMap<string, CompiledSchema>;
  readonly #convert: ConvertObjects;
  /** A part of the cache keys, so that results for an older CRD are not used. */
  readonly #build = ++builds;
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

  present(entry: Entry, version: string): Entry | Promise<Entry> {
    const known = this.#known(entry, version);
    if (known) return known;
    if (!this.#needsWebhook(entry.object, version)) return this.#show(entry, version);
    return Promise.resolve(this.presentAll([entry], version)).then(([shown]) => shown!);
  }

  /** Converts all objects with one webhook call. */
  presentAll(entries: readonly Entry[], version: string): Entry[] | Promise<Entry[]> {
    const foreign = entries.filter(
      (entry) => this.#needsWebhook(entry.object, version) && !this.#known(entry, version),
    );
    const own = (entry: Entry) => this.#known(entry, version) ?? this.#show(entry, version);
    if (foreign.length === 0) return entries.map(own);
    const objects = foreign.map(({ object }) => this.#complete(object));
    return this.#convert(this.#crd, objects, this.#apiVersion(version)).then((converted) => {
      for (const [index, entry] of foreign.entries()) this.#remember(entry, version, converted[index]!);
      return entries.map(own);
    });
  }

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

  #known(entry: Entry, version: string): Entry | undefined {
    const key = this.#keyOf(version);
    if (entry.shownBy === key) return entry;
    const known = entry.derived(key) as Presented | undefined;
    if (!known || known.until === Number.POSITIVE_INFINITY) return known?.shown;
    return performance.now() < known.until ? known.shown : undefined;
  }

  #keyOf(version: string): string {
    let key = this.#keys.get(version);
    if (!key) this.#keys.set(version, (key = `${this.#build}/${version}`));
    return key;
  }

  /**
   * Converts an entry without a webhook. Most entries are returned as stored: no defaults are missing, no fields are
   * unknown.
   */
  #show(entry: Entry, version: string): Entry {
    const object = this.#rename(this.#complete(entry.object), version);
    if (object === entry.object) {
      entry.shownBy = this.#keyOf(version);
      return entry;
    }
    return this.#remember(entry, version, object);
  }

  #remember(entry: Entry, version: string, converted: ApiObject): Entry {
    const object = this.#prune(converted, version);
    const key = this.#keyOf(version);
    const shown = new Entry(entry.key, entry.revision, object);
    const until = this.#needsWebhook(entry.object, version)
      ? performance.now() + conversionCountsMilliseconds
      : Number.POSITIVE_INFINITY;
    entry.remember(key, { shown, until } satisfies Presented);
    return shown;
  }

  #rename(object: ApiObject, version: string): ApiObject {
    const apiVersion = this.#apiVersion(version);
    return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
  }

  /** Prunes and defaults a stored object by the schema of its own version, if the CRD still has it. */
  #complete(object: ApiObject): ApiObject {
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
