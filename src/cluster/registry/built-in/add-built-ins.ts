import { type BuiltinResource, builtinResources } from "@tsbuilder/apimachinery/kinds";
import type { Registry } from "../registry.ts";
import { builtInResource } from "./built-in-resource.ts";

/** Registers every built-in kind whose objects are stored, the versions of one kind as one resource. */
export function addBuiltIns(registry: Registry): void {
  const groups = stored().reduce(collect, new Map<string, BuiltinResource[]>());
  for (const versions of groups.values()) registry.add(builtInResource(registry.store, versions));
}

function stored(): BuiltinResource[] {
  return builtinResources().filter(({ storageVersionHash }) => storageVersionHash !== undefined);
}

function collect(
  groups: Map<string, BuiltinResource[]>,
  resource: BuiltinResource,
): Map<string, BuiltinResource[]> {
  const key = `${resource.plural}.${resource.group}`;
  groups.set(key, [...(groups.get(key) ?? []), resource]);
  return groups;
}
