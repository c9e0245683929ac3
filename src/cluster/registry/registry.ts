import { parseApiVersion } from "@tsbuilder/apimachinery/meta";
import type { Collection } from "../storage/collection.ts";
import type { Store } from "../storage/store.ts";
import type { Resource, ResourceVersion } from "./resource.ts";
import type { ApiObject } from "../contract/api-object.ts";

/** A version of a resource that requests can name. */
export interface ServedVersion {
  readonly resource: Resource;
  readonly version: ResourceVersion;
}

/** The resources that are served. Custom resources are added and removed; built-in ones stay. */
export class Registry {
  readonly store: Store;
  readonly #resources = new Map<string, Resource>();
  readonly #replaceListeners = new WeakMap<Resource, Set<() => void>>();
  #generation = 0;
  #index: Index | undefined;

  constructor(store: Store) {
    this.store = store;
  }

  /** Increases with each change of the served resources, so that discovery documents can be cached. */
  get generation(): number {
    return this.#generation;
  }

  /** Adds a resource, or replaces the one of the same name. */
  add(resource: Resource): void {
    const id = idOf(resource.group, resource.plural);
    const before = this.#resources.get(id);
    this.#resources.set(id, resource);
    this.#changed();
    if (before) this.#notifyReplaced(before);
  }

  remove(group: string, plural: string): void {
    const before = this.find(group, plural);
    if (!before) return;
    this.#resources.delete(idOf(group, plural));
    this.#changed();
    this.#notifyReplaced(before);
  }

  #changed(): void {
    this.#generation++;
    this.#index = undefined;
  }

  /** Calls the callback once, when a resource is replaced or removed. Returns an unsubscribe function. */
  whenReplaced(resource: Resource, run: () => void): () => void {
    const listeners = this.#replaceListeners.get(resource) ?? new Set();
    this.#replaceListeners.set(resource, listeners.add(run));
    return () => void listeners.delete(run);
  }

  #notifyReplaced(resource: Resource): void {
    for (const run of this.#replaceListeners.get(resource) ?? []) run();
  }

  /** The resources in the order in which they were added: built-in ones first. */
  all(): Resource[] {
    return [...this.#resources.values()];
  }

  find(group: string, plural: string): Resource | undefined {
    return this.#resources.get(idOf(group, plural));
  }

  /** Finds a resource by its qualified name: `pods`, `deployments.apps`. */
  findName(name: string): Resource | undefined {
    const dot = name.indexOf(".");
    return dot === -1 ? this.find("", name) : this.find(name.slice(dot + 1), name.slice(0, dot));
  }

  /** Finds the resource of a collection; the first one if several share it. */
  findStored(collection: Collection): Resource | undefined {
    return this.#indexed().stored.get(collection);
  }

  findKind(group: string, kind: string): Resource | undefined {
    return this.#indexed().kinds.get(idOf(group, kind));
  }

  /** Finds a resource in a version that is served. */
  endpoint(group: string, version: string, plural: string): ServedVersion | undefined {
    const resource = this.find(group, plural);
    const found = resource?.versions.find(({ name }) => name === version);
    return resource && found && { resource, version: found };
  }

  servesGroup(group: string): boolean {
    return this.#indexed().versions.has(group);
  }

  servesGroupVersion(group: string, version: string): boolean {
    return this.#indexed().versions.get(group)?.has(version) ?? false;
  }

  #indexed(): Index {
    this.#index ??= indexOf(this.all());
    return this.#index;
  }
}

/** The resources that are served in a group version. */
export function resourcesIn(registry: Registry, group: string, version: string): Resource[] {
  const isServed = ({ versions }: Resource) => versions.some(({ name }) => name === version);
  return registry.all().filter((resource) => resource.group === group && isServed(resource));
}

/** Lookup tables for requests and changes. If resources share a collection or kind, the first one is found. */
interface Index {
  readonly stored: ReadonlyMap<Collection, Resource>;
  readonly kinds: ReadonlyMap<string, Resource>;
  /** The versions of each group. */
  readonly versions: ReadonlyMap<string, ReadonlySet<string>>;
}

function indexOf(resources: readonly Resource[]): Index {
  const versions = new Map<string, Set<string>>();
  for (const resource of resources) {
    const names = versions.get(resource.group) ?? new Set();
    for (const { name } of resource.versions) names.add(name);
    versions.set(resource.group, names);
  }
  const lastFirst = resources.toReversed();
  return {
    stored: new Map(lastFirst.map((resource) => [resource.collection, resource])),
    kinds: new Map(lastFirst.map((resource) => [idOf(resource.group, resource.kind), resource])),
    versions,
  };
}

function idOf(group: string, name: string): string {
  return `${group}/${name}`;
}

/**
 * Explains in Go's words why an object of this kind and apiVersion can't be decoded as one of a built-in resource.
 * `isServed` is true if another resource serves the kind in this version.
 */
export function explainType({ kind, apiVersion }: ApiObject, resource: Resource, registry: Registry) {
  const sent = parseApiVersion(apiVersion);
  const isServed =
    registry.findKind(sent.group, kind)?.versions.some(({ name }) => name === sent.version) ?? false;
  const internal = resource.group === "" ? "core" : resource.group.split(".")[0]!;
  const why = isServed
    ? `converting (${sent.version}.${kind}) to (${internal}.${resource.kind}): unknown conversion`
    : `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;
  return { why, isServed };
}
