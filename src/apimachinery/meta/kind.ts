import type { ClusterScopedName, KubernetesObject, NamespacedName, ObjectKey } from "./object.ts";

/** An API group and one of its versions; the core group is the empty string. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** Objects of a kind are in a namespace, or in the cluster. */
export type Scope = "Namespaced" | "Cluster";

/** The names and scope of a kind, for `defineKind`. */
export interface KindDefinition {
  /** PascalCase, singular: `MySQL`. */
  readonly kind: string;
  /** Lower case, as in URLs: `mysqls`. */
  readonly plural: string;
  /** Default: `Namespaced`. */
  readonly scope?: Scope;
}

/** Carry the types of a kind's objects and of their keys, which no value has. */
declare const objectType: unique symbol;
declare const keyType: unique symbol;

/**
 * A kind as a value: what the client needs to build URLs, the type of its objects, and that of their keys, which have a
 * namespace or none. Create it with `defineKind`, so that `apiVersion` matches group and version.
 */
export interface Kind<
  T extends KubernetesObject = KubernetesObject,
  Key extends ObjectKey = ObjectKey,
> extends GroupVersion {
  /** `group/version`, or the bare version for the core group. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: Scope;
  readonly [objectType]?: T;
  readonly [keyType]?: Key;
}

/** Declares a kind. The generators read the arguments statically: use literals or constants. */
export function defineKind<T extends KubernetesObject>(
  groupVersion: GroupVersion,
  definition: KindDefinition & { readonly scope?: "Namespaced" },
): Kind<T, NamespacedName>;
export function defineKind<T extends KubernetesObject>(
  groupVersion: GroupVersion,
  definition: KindDefinition & { readonly scope: "Cluster" },
): Kind<T, ClusterScopedName>;
export function defineKind<T extends KubernetesObject>(
  groupVersion: GroupVersion,
  definition: KindDefinition,
): Kind<T>;
export function defineKind<T extends KubernetesObject>(
  groupVersion: GroupVersion,
  { kind, plural, scope = "Namespaced" }: KindDefinition,
): Kind<T> {
  const { group, version } = groupVersion;
  return Object.freeze({ group, version, apiVersion: apiVersionOf(groupVersion), kind, plural, scope });
}

/** Formats a group and version as the `apiVersion` of an object. */
export function apiVersionOf({ group, version }: GroupVersion): string {
  return group === "" ? version : `${group}/${version}`;
}

/** Parses the `apiVersion` of an object. */
export function parseApiVersion(apiVersion: string): GroupVersion {
  const slash = apiVersion.indexOf("/");
  if (slash === -1) return { group: "", version: apiVersion };
  return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** Returns true if a text is a version, or a group and a version. */
export function isApiVersion(text: string): boolean {
  return /^(?:[^/]*\/)?[^/]+$/.test(text);
}

/** Returns true if kinds of this group can't be Kubernetes' own: only CRDs have other domains than `k8s.io`. */
export function isCustomGroup(group: string): boolean {
  return group.includes(".") && !group.endsWith(".k8s.io");
}
