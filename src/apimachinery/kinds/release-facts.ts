import { text } from "./generated/release-facts.ts";
import type { Release } from "./releases.ts";

/** The releases in which a kind is deprecated and removed, as Kubernetes announces them, and the kind to use then. */
export interface Lifetime {
  readonly deprecated: string;
  readonly removed?: string;
  /** `discovery.k8s.io/v1/EndpointSlice` */
  readonly replacement?: string;
}

/** Facts that differ between releases. */
export interface ReleaseFacts {
  /** The releases in which a feature gate is on by default. */
  readonly gates: Readonly<Record<string, readonly Release[]>>;
  /** By version and kind: `policy/v1beta1/Eviction`. */
  readonly lifetimes: Readonly<Record<string, Lifetime>>;
}

let parsed: ReleaseFacts | undefined;

function facts(): ReleaseFacts {
  return (parsed ??= JSON.parse(text) as ReleaseFacts);
}

/** Returns whether a feature gate of the API server is on by default in a release. @throws if no release has the gate */
export function isGateOn(gate: string, release: Release): boolean {
  const on = facts().gates[gate];
  if (!on) throw new Error(`Kubernetes has no feature gate ${gate}`);
  return on.includes(release);
}

/** Returns when a kind of Kubernetes ends; undefined if that is not announced. */
export function lifetimeOf(apiVersion: string, kind: string): Lifetime | undefined {
  return facts().lifetimes[`${apiVersion}/${kind}`];
}

/** Returns the warning of an API server about a kind that is deprecated; undefined if it is not, or not yet. */
export function deprecationOf(apiVersion: string, kind: string, release: string): string | undefined {
  const { deprecated, removed, replacement } = lifetimeOf(apiVersion, kind) ?? {};
  if (deprecated === undefined || compareReleases(release, deprecated) < 0) return undefined;
  const end = removed === undefined ? "" : `, unavailable in v${removed}+`;
  const instead = replacement === undefined ? "" : `; use ${replacement.replace(/\/(?=[^/]+$)/u, " ")}`;
  return `${apiVersion} ${kind} is deprecated in v${deprecated}+${end}${instead}`;
}

/** Compares releases such as `1.9` and `1.36`. */
export function compareReleases(a: string, b: string): number {
  return Number(a.slice(a.indexOf(".") + 1)) - Number(b.slice(b.indexOf(".") + 1));
}
