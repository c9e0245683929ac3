// Resources from CRDs. This file follows the CRDs in the store and serves the resource of each, which
// `custom-resource.ts` makes. `custom-schema.ts` has its schemas, `custom-columns.ts` its columns and selectable
// fields, `custom-versions.ts` its conversion between versions.

import { isConditionTrue, setCondition } from "@tsbuilder/apimachinery/meta";
import { isEqual } from "@tsbuilder/apimachinery/json";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { Collection } from "../storage/collection.ts";
import type { Entry } from "../storage/entry.ts";
import type { Store } from "../storage/store.ts";
import type { CustomResourceDefinition } from "../kinds/apiextensions/custom-resource-definition.ts";
import { approvalCondition, cleanupFinalizer } from "../kinds/apiextensions/custom-resource-definition.ts";
import type { Core } from "../registry/core.ts";
import type { Registry } from "../registry/registry.ts";
import type { ConvertObjects } from "./custom-versions.ts";
import { customResource } from "./custom-resource.ts";
import { formatTime } from "@tsbuilder/apimachinery/time";

/** Serves the resources of CRDs, and sets the conditions of CRDs. Returns a function that stops it. */
export function serveDefinitions(core: Core, convert: ConvertObjects): () => void {
  return new Definitions(core, convert).follow();
}

class Definitions {
  readonly #registry: Registry;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #crds: Collection;
  readonly #convert: ConvertObjects;
  readonly #emptying = new Set<string>();
  /** The parts of each CRD from which its resource was made. */
  readonly #served = new Map<string, object>();

  constructor({ registry, store, clock }: Core, convert: ConvertObjects) {
    this.#convert = convert;
    this.#registry = registry;
    this.#store = store;
    this.#clock = clock;
    this.#crds = store.collection("customresourcedefinitions.apiextensions.k8s.io");
  }

  follow(): () => void {
    for (const { key } of this.#crds.list()) this.#settle(key);
    return this.#crds.listen(({ entry }) => this.#settle(entry.key));
  }

  #settle(key: string): void {
    const stored = this.#crds.get(key);
    if (!stored) return this.#unserve(key);
    const crd = stored.object as CustomResourceDefinition;
    if (crd.metadata.deletionTimestamp !== undefined) return this.#clean(key, crd);
    const next = this.#withConditions(crd);
    if (isConditionTrue(next.status?.conditions, "Established")) this.#serve(next);
    if (next !== crd) this.#store.put(this.#crds, key, next);
    return undefined;
  }

  #unserve(key: string): void {
    const { plural, group } = splitName(key);
    this.#served.delete(key);
    this.#registry.remove(group, plural);
    // CRDs with conflicting names may be accepted now.
    for (const { key: other, object } of this.#crds.list()) {
      const conditions = (object as CustomResourceDefinition).status?.conditions;
      if (!isConditionTrue(conditions, "Established")) this.#settle(other);
    }
  }

  /** Deletes all objects of a CRD that is being deleted; the CRD stays until objects with finalizers are gone. */
  #clean(key: string, crd: CustomResourceDefinition): void {
    const collection = this.#store.collection(key);
    for (const entry of collection.list()) this.#remove(collection, entry);
    if (collection.size > 0) {
      this.#followUntilEmpty(collection, key);
      return this.#markTerminating(key, crd);
    }
    const finalizers = (crd.metadata.finalizers ?? []).filter((each) => each !== cleanupFinalizer);
    if (finalizers.length === (crd.metadata.finalizers ?? []).length) return undefined;
    const entry = this.#crds.get(key)!;
    if (finalizers.length === 0) this.#store.remove(this.#crds, entry);
    else this.#store.put(this.#crds, key, { ...crd, metadata: { ...crd.metadata, finalizers } });
    return undefined;
  }

  #remove(collection: Collection, entry: Entry): void {
    const { metadata } = entry.object;
    if (!metadata.finalizers?.length) this.#store.remove(collection, entry);
    else if (metadata.deletionTimestamp === undefined) {
      const deletionTimestamp = formatTime(this.#clock.now());
      const marked = { ...metadata, deletionTimestamp, deletionGracePeriodSeconds: 0 };
      this.#store.put(collection, entry.key, { ...entry.object, metadata: marked });
    }
  }

  #followUntilEmpty(collection: Collection, key: string): void {
    if (this.#emptying.has(key)) return;
    this.#emptying.add(key);
    const stop = collection.listen(() => {
      if (collection.size > 0) return;
      stop();
      this.#emptying.delete(key);
      this.#settle(key);
    });
  }

  #markTerminating(key: string, crd: CustomResourceDefinition): void {
    const terminating = {
      type: "Terminating",
      status: "True",
      reason: "InstanceDeletionInProgress",
      message: "CustomResource deletion is in progress",
    } as const;
    if (isConditionTrue(crd.status?.conditions, "Terminating")) return;
    const conditions = setCondition(crd.status?.conditions, terminating, this.#clock);
    this.#store.put(this.#crds, key, { ...crd, status: { ...crd.status, conditions } });
  }

  /** Replacing a resource ends its watches, so it is replaced only if the CRD has changed what is served. */
  #serve(crd: CustomResourceDefinition): void {
    const key = crd.metadata.name!;
    const { spec, status } = crd;
    const served = { spec, acceptedNames: status?.acceptedNames };
    if (isEqual(this.#served.get(key), served)) return;
    this.#served.set(key, served);
    const isTerminating = () => this.#crds.get(key)?.object.metadata.deletionTimestamp !== undefined;
    const collection = this.#store.collection(key);
    this.#registry.add(customResource(crd, { collection, convert: this.#convert, isTerminating }));
  }

  #withConditions(crd: CustomResourceDefinition): CustomResourceDefinition {
    const before = crd.status?.conditions;
    const conflict = this.#nameConflict(crd);
    const established = isConditionTrue(before, "Established");
    const noConflict = { reason: "NoConflicts", message: "no conflicts found" };
    const status = conflict ? "False" : "True";
    const accepted = { type: "NamesAccepted", status, ...(conflict ?? noConflict) } as const;
    let conditions = setCondition(before, accepted, this.#clock);
    if (!established) {
      const names = conflict
        ? { reason: "NotAccepted", message: "not all names are accepted" }
        : { reason: "InitialNamesAccepted", message: "the initial names have been accepted" };
      conditions = setCondition(conditions, { type: "Established", status, ...names }, this.#clock);
    }
    const approval = approvalCondition(crd);
    if (approval) conditions = setCondition(conditions, approval, this.#clock);
    const acceptedNames = conflict ? crd.status?.acceptedNames : crd.spec.names;
    const next = { ...crd.status, ...(acceptedNames && { acceptedNames }), conditions };
    return isEqual(crd.status, next) ? crd : { ...crd, status: next };
  }

  /** Names must be unique within a group, among built-in kinds and CRDs alike. */
  #nameConflict({ spec, metadata }: CustomResourceDefinition) {
    const { plural, singular, kind, listKind, shortNames = [] } = spec.names;
    for (const other of this.#registry.all()) {
      if (other.group !== spec.group || `${other.plural}.${other.group}` === metadata.name) continue;
      const words = [other.plural, other.singular, ...other.shortNames];
      const taken = (reason: string, name: string) => {
        return { reason, message: `${JSON.stringify(name)} is already in use` };
      };
      const kinds = [other.kind, other.listKind];
      const short = shortNames.find((name) => words.includes(name));
      // As on the real server, the last check that finds a conflict wins.
      if (listKind && kinds.includes(listKind)) return taken("ListKindConflict", listKind);
      if (kinds.includes(kind)) return taken("KindConflict", kind);
      if (short !== undefined) return taken("ShortNamesConflict", short);
      if (singular && words.includes(singular)) return taken("SingularConflict", singular);
      if (words.includes(plural)) return taken("PluralConflict", plural);
    }
    return undefined;
  }
}

function splitName(name: string): { plural: string; group: string } {
  const dot = name.indexOf(".");
  return { plural: name.slice(0, dot), group: name.slice(dot + 1) };
}
