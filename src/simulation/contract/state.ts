import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { ExternalStates } from "./external.ts";

/** Names an object. */
export interface Ref {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** Returns the reference to an object. */
export function refOf({ apiVersion, kind, metadata }: KubernetesObject): Ref {
  const { namespace, name = "" } = metadata;
  return { apiVersion, kind, name, ...(namespace !== undefined && { namespace }) };
}

/** Formats a reference: `ConfigMap.v1 default/shop`. */
export function refText({ apiVersion, kind, namespace, name }: Ref): string {
  return `${kind}.${apiVersion} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

/** Names an object in words: `ConfigMap.v1 default/shop`. */
export function refTextOf(object: KubernetesObject): string {
  return refText(refOf(object));
}

/** All objects at one moment, and what external systems hold. */
export interface State {
  readonly objects: readonly KubernetesObject[];
  /** The states of the external systems, by name. */
  readonly external: ExternalStates;
  /** What pods run with that was replaced since, by the uid of the object that an operator made them with. Known at rest only. */
  readonly outdated?: OutdatedPods;
  /** The date of the API server, in milliseconds, as of `Date.now()`. */
  readonly now: number;
  find(ref: Ref): KubernetesObject | undefined;
  list(kind: string): readonly KubernetesObject[];
}

/** The names of what is outdated: `template`, or `env.` with the name of a variable. */
export type OutdatedPods = ReadonlyMap<string, readonly string[]>;

/** Makes a state of the objects of a cluster, and of external systems. */
export function stateOf(objects: readonly KubernetesObject[], external: ExternalStates = {}, now = 0): State {
  return {
    objects,
    external,
    now,
    list: (kind) => objects.filter((object) => object.kind === kind),
    find: ({ apiVersion, kind, namespace, name }) =>
      objects.find(
        (object) =>
          object.apiVersion === apiVersion &&
          object.kind === kind &&
          object.metadata.name === name &&
          object.metadata.namespace === namespace,
      ),
  };
}

/** The parts of states that are ignored when two runs are compared. */
export interface LeftOut {
  readonly objects: ReadonlySet<KubernetesObject>;
  /** Objects whose status is ignored. */
  readonly statuses: ReadonlySet<KubernetesObject>;
  /** Texts that replace the uids of deleted objects, by uid: survivors may still hold such a uid. */
  readonly formerUids?: ReadonlyMap<string, string>;
}

/** Returns whether the user paused an object. Earlier changes of its spec may never have been carried out. */
export function isPaused(object: KubernetesObject): boolean {
  const { spec } = object as { readonly spec?: { readonly paused?: unknown } };
  return spec?.paused === true || pausingAnnotation(object) !== undefined;
}

/** Returns the name of the annotation that pauses an object, which `pausable` of the runtime's controllers honours. */
export function pausingAnnotation({ metadata }: KubernetesObject): string | undefined {
  const [found] =
    Object.entries(metadata.annotations ?? {}).find(
      ([name, value]) => name.endsWith("/paused") && value === "true",
    ) ?? [];
  return found;
}
