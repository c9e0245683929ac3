import type { KubernetesObject } from "./object.ts";

/** An API group and one of its versions; the group of core kinds is the empty string. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** Where objects of a kind live. */
export type Scope = "Namespaced" | "Cluster";

/** What `defineKind` must be told. */
export interface KindDefinition {
  /** PascalCase, singular: `MySQL`. */
  readonly kind: string;
  /** Lower case, as it stands in URLs: `mysqls`. */
  readonly plural: string;
  /** Default: `Namespaced`. */
  readonly scope?: Scope;
}

declare const objectType: unique symbol;

/**
 * A kind as a value: what the client needs to build a URL, and the type of its objects.
 * Only `defineKind` makes one, so that a kind can't disagree with its own group and version.
 */
export interface Kind<T extends KubernetesObject = KubernetesObject> extends GroupVersion {
  /** `group/version`, or the bare version for the core group. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: Scope;
  readonly [objectType]?: T;
}

/** Declares a kind. The generators read the arguments statically: literals, or constants of literals. */
export function defineKind<T extends KubernetesObject>(
  groupVersion: GroupVersion,
  { kind, plural, scope = "Namespaced" }: KindDefinition,
): Kind<T> {
  const { group, version } = groupVersion;
  return Object.freeze({ group, version, apiVersion: apiVersionOf(groupVersion), kind, plural, scope });
}

/** Writes a group and version as an object's `apiVersion`. */
export function apiVersionOf({ group, version }: GroupVersion): string {
  return group === "" ? version : `${group}/${version}`;
}

/** Reads an object's `apiVersion`. */
export function parseApiVersion(apiVersion: string): GroupVersion {
  const slash = apiVersion.indexOf("/");
  if (slash === -1) return { group: "", version: apiVersion };
  return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}
