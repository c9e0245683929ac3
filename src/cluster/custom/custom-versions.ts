import type { CompiledSchema } from "@tsbuilder/apimachinery/schema";
import type { ApiObject } from "../contract/api-object.ts";
import { Entry } from "../storage/entry.ts";
import type { CustomResourceDefinition } from "../kinds/apiextensions/custom-resource-definition/crd.ts";

/** Asks a CRD's conversion webhook to bring objects into another version. */
export type ConvertObjects = (
  crd: CustomResourceDefinition,
  objects: readonly ApiObject[],
  apiVersion: string,
) => Promise<ApiObject[]>;

let builds = 0;

/**
 * Watchers and readers of one change share what a webhook said about it. Somebody who changed the webhook's code since
 * gets its new answer.
 */
const conversionCountsMilliseconds = 1000;

/** An entry in another version, and until when it counts. */
interface Presented {
  readonly shown: Entry;
  readonly until: number;
}

/** The objects of a CRD in each of its versions: converted, then pruned and defaulted by the version's schema. */
export class CustomVersions {
  readonly #crd: CustomResourceDefinition;
  readonly #schemas: ReadonlyMap<string, CompiledSchema>;
  readonly #convert: ConvertObjects;
  /** What was presented under an older definition does not count. */
  readonly #build = ++builds;
  /** Under which key entries keep what they are in a version: made once, asked for with every object of a list. */
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
    if (!this.#needsWebhook(entry.object, version))
      return this.#remember(entry, version, this.#rename(entry.object, version));
    return Promise.resolve(this.presentAll([entry], version)).then(([shown]) => shown!);
  }

  /** Objects in other versions go through the webhook together. */
  presentAll(entries: readonly Entry[], version: string): Entry[] | Promise<Entry[]> {
    const foreign = entries.filter(
      (entry) => this.#needsWebhook(entry.object, version) && !this.#known(entry, version),
    );
    const own = (entry: Entry) =>
      this.#known(entry, version) ?? this.#remember(entry, version, this.#rename(entry.object, version));
    if (foreign.length === 0) return entries.map(own);
    const objects = foreign.map(({ object }) => object);
    return this.#convert(this.#crd, objects, this.#apiVersion(version)).then((converted) => {
      for (const [index, entry] of foreign.entries()) this.#remember(entry, version, converted[index]!);
      return entries.map(own);
    });
  }

  convert(object: ApiObject, version: string): ApiObject | Promise<ApiObject> {
    if (object.apiVersion === this.#apiVersion(version)) return object;
    if (!this.#needsWebhook(object, version)) return this.#shape(this.#rename(object, version), version);
    return this.#convert(this.#crd, [object], this.#apiVersion(version)).then(([converted]) =>
      this.#shape(converted!, version),
    );
  }

  #needsWebhook(object: ApiObject, version: string): boolean {
    return (
      this.#crd.spec.conversion?.strategy === "Webhook" && object.apiVersion !== this.#apiVersion(version)
    );
  }

  #known(entry: Entry, version: string): Entry | undefined {
    const known = entry.derived.get(this.#keyOf(version)) as Presented | undefined;
    if (!known || known.until === Number.POSITIVE_INFINITY) return known?.shown;
    return performance.now() < known.until ? known.shown : undefined;
  }

  #keyOf(version: string): string {
    let key = this.#keys.get(version);
    if (!key) this.#keys.set(version, (key = `${this.#build}/${version}`));
    return key;
  }

  #remember(entry: Entry, version: string, converted: ApiObject): Entry {
    const object = this.#shape(converted, version);
    const shown = object === entry.object ? entry : new Entry(entry.key, entry.revision, object);
    const until = this.#needsWebhook(entry.object, version)
      ? performance.now() + conversionCountsMilliseconds
      : Number.POSITIVE_INFINITY;
    entry.derived.set(this.#keyOf(version), { shown, until } satisfies Presented);
    return shown;
  }

  #rename(object: ApiObject, version: string): ApiObject {
    const apiVersion = this.#apiVersion(version);
    return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
  }

  #shape(object: ApiObject, version: string): ApiObject {
    const schema = this.#schemas.get(version)!;
    return schema.applyDefaults(schema.prune(object).object);
  }

  #apiVersion(version: string): string {
    return `${this.#crd.spec.group}/${version}`;
  }
}
