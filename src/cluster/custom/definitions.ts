// Resources from CRDs. This file follows the CRDs in the store and serves the resource of each, which
// `custom-resource.ts` makes, with its schemas, columns and selectable fields; `custom-versions.ts` converts its versions.

import { unusableBundle } from "../kinds/checks/webhook-client.ts";
import { isConditionTrue, setCondition } from "@tsbuilder/apimachinery/meta";
import { isEqual } from "@tsbuilder/apimachinery/json";
import { type Clock, formatTime } from "@tsbuilder/apimachinery/time";
import type { Collection } from "../storage/collection.ts";
import type { Entry } from "../storage/entry.ts";
import type { Store } from "../storage/store.ts";
import type { CustomResourceDefinition } from "../kinds/apiextensions/custom-resource-definition.ts";
import { approvalCondition, cleanupFinalizer } from "../kinds/apiextensions/custom-resource-definition.ts";
import type { Core } from "../registry/core.ts";
import type { Registry } from "../registry/registry.ts";
import type { ConvertObjects } from "./custom-versions.ts";
import { customResource } from "./custom-resource.ts";

/** Serves the resources of CRDs, and sets the conditions of CRDs. Returns a function that stops it. */
export function serveDefinitions(core: Core, convert: ConvertObjects): () => void {
  return new Definitions(core, convert).follow();
}

/** Follows the CRDs in the store, and keeps the registry and their conditions up to date. */
class Definitions {
  readonly #registry: Registry;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #crds: Collection;
  readonly #convert: ConvertObjects;
  /** The CRDs that are being deleted and wait until their objects are gone. */
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
    for (const { key } of this.#crds.list()) this.#update(key);
    return this.#crds.listen(({ entry }) => this.#update(entry.key));
  }

  /** Brings the resource of a CRD and the CRD's conditions up to date, or deletes its objects if it is being deleted. */
  #update(key: string): void {
    const crd = this.#crds.get(key)?.object as CustomResourceDefinition | undefined;
    if (!crd) this.#unserve(key);
    else if (crd.metadata.deletionTimestamp !== undefined) this.#deleteObjects(key, crd);
    else {
      const next = this.#withConditions(crd);
      if (isConditionTrue(next.status?.conditions, "Established")) this.#serve(next);
      if (next !== crd) this.#store.put(this.#crds, key, next);
    }
  }

  #unserve(key: string): void {
    const { plural, group } = splitName(key);
    this.#served.delete(key);
    this.#registry.remove(group, plural);
    // CRDs with conflicting names may be accepted now.
    for (const { key: other, object } of this.#crds.list()) {
      const conditions = (object as CustomResourceDefinition).status?.conditions;
      if (!isConditionTrue(conditions, "Established")) this.#update(other);
    }
  }

  /** Deletes all objects of a CRD that is being deleted, then the CRD, once the objects with finalizers are gone. */
  #deleteObjects(key: string, crd: CustomResourceDefinition): void {
    const collection = this.#store.collection(key);
    for (const entry of collection.list()) this.#deleteObject(collection, entry);
    if (collection.size > 0) {
      this.#followUntilEmpty(collection, key);
      this.#markTerminating(key, crd);
      return;
    }
    const finalizers = (crd.metadata.finalizers ?? []).filter((name) => name !== cleanupFinalizer);
    if (finalizers.length === (crd.metadata.finalizers ?? []).length) return;
    const entry = this.#crds.get(key)!;
    if (finalizers.length === 0) this.#store.remove(this.#crds, entry);
    else this.#store.put(this.#crds, key, { ...crd, metadata: { ...crd.metadata, finalizers } });
  }

  #deleteObject(collection: Collection, entry: Entry): void {
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
      this.#update(key);
    });
  }

  #markTerminating(key: string, crd: CustomResourceDefinition): void {
    if (isConditionTrue(crd.status?.conditions, "Terminating")) return;
    const terminating = {
      type: "Terminating",
      status: "True",
      reason: "InstanceDeletionInProgress",
      message: "CustomResource deletion is in progress",
    } as const;
    const conditions = setCondition(crd.status?.conditions, terminating, this.#clock);
    this.#store.put(this.#crds, key, { ...crd, status: { ...crd.status, conditions } });
  }

  /** Serves the resource of a CRD. Replacing a resource ends its watches: it is replaced only if it changes. */
  #serve(crd: CustomResourceDefinition): void {
    const key = crd.metadata.name!;
    const { spec, status } = crd;
    const parts = { spec, acceptedNames: status?.acceptedNames };
    if (isEqual(this.#served.get(key), parts)) return;
    this.#served.set(key, parts);
    const isTerminating = () => this.#crds.get(key)?.object.metadata.deletionTimestamp !== undefined;
    const collection = this.#store.collection(key);
    this.#registry.add(customResource(crd, { collection, convert: this.#convert, isTerminating }));
  }

  /** Sets the conditions NamesAccepted, Established and KubernetesAPIApprovalPolicyConformant. */
  #withConditions(crd: CustomResourceDefinition): CustomResourceDefinition {
    const oldConditions = crd.status?.conditions;
    const conflict = this.#findNameConflict(crd);
    const isEstablished = isConditionTrue(oldConditions, "Established");
    const bundle = crd.spec.conversion?.webhook?.clientConfig?.caBundle;
    const noConflict = { reason: "NoConflicts", message: "no conflicts found" };
    const status = conflict ? "False" : "True";
    const namesAccepted = { type: "NamesAccepted", status, ...(conflict ?? noConflict) } as const;
    // The real server doesn't look at names that are accepted already, even if no condition says so.
    const isNew = !isEqual(crd.spec.names, crd.status?.acceptedNames);
    const areChecked = isNew || oldConditions?.some(({ type }) => type === "NamesAccepted");
    let conditions = areChecked
      ? setCondition(oldConditions, namesAccepted, this.#clock)
      : (oldConditions ?? null);
    if (areChecked && !isEstablished) {
      const [reason, message] = conflict
        ? ["NotAccepted", "not all names are accepted"]
        : unusableBundle(bundle)
          ? ["InvalidCABundle", "The conversion webhook CABundle is invalid"]
          : ["InitialNamesAccepted", "the initial names have been accepted"];
      const established = reason === "InitialNamesAccepted" ? "True" : "False";
      const condition = { type: "Established", status: established, reason, message } as const;
      conditions = setCondition(conditions, condition, this.#clock);
    }
    const approval = approvalCondition(crd);
    if (approval) conditions = setCondition(conditions, approval, this.#clock);
    const acceptedNames = conflict ? crd.status?.acceptedNames : crd.spec.names;
    const next = { ...crd.status, ...(acceptedNames && { acceptedNames }), conditions };
    return isEqual(crd.status, next) ? crd : { ...crd, status: next };
  }

  /** Names must be unique within a group, among built-in kinds and CRDs alike. */
  #findNameConflict({ spec, metadata }: CustomResourceDefinition) {
    const { plural, singular, kind, listKind, shortNames = [] } = spec.names;
    for (const other of this.#registry.all()) {
      if (other.group !== spec.group || `${other.plural}.${other.group}` === metadata.name) continue;
      const names = [other.plural, other.singular, ...other.shortNames];
      const kinds = [other.kind, other.listKind];
      const shortName = shortNames.find((name) => names.includes(name));
      // In the reverse order of the real server's checks, where the last conflict wins.
      if (listKind && kinds.includes(listKind)) return conflict("ListKindConflict", listKind);
      if (kinds.includes(kind)) return conflict("KindConflict", kind);
      if (shortName !== undefined) return conflict("ShortNamesConflict", shortName);
      if (singular && names.includes(singular)) return conflict("SingularConflict", singular);
      if (names.includes(plural)) return conflict("PluralConflict", plural);
    }
    return undefined;
  }
}

function conflict(reason: string, name: string) {
  return { reason, message: `${JSON.stringify(name)} is already in use` };
}

/** Splits the name of a CRD: `widgets.example.com`. */
function splitName(name: string): { plural: string; group: string } {
  const dot = name.indexOf(".");
  return { plural: name.slice(0, dot), group: name.slice(dot + 1) };
}
