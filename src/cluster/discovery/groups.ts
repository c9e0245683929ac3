import { compareVersions } from "@tsbuilder/apimachinery/naming";
import type { Registry } from "../registry/registry.ts";

/** An API group with its versions, the preferred one first. */
export interface ApiGroup {
  readonly name: string;
  readonly versions: readonly string[];
}

/** The served groups: built-in ones first, so that clients find their short names before those of CRDs. */
export function groupsOf(registry: Registry): ApiGroup[] {
  const groups = new Map<string, Set<string>>();
  for (const resource of registry.all()) {
    const versions = groups.get(resource.group) ?? new Set();
    for (const { name } of resource.versions) versions.add(name);
    groups.set(resource.group, versions);
  }
  return [...groups].map(([name, versions]) => ({ name, versions: [...versions].sort(compareVersions) }));
}
