import { type BuiltinResource, builtinResources } from "@tsbuilder/apimachinery/kinds";
import type { Registry } from "../registry/registry.ts";
import { builtInResource } from "./built-in-resource.ts";

/** Registers every built-in kind. All versions of a kind are one resource. */
export function addBuiltIns(registry: Registry): void {
  const groups = served().reduce(collect, new Map<string, BuiltinResource[]>());
  for (const versions of groups.values()) registry.add(builtInResource(registry.store, versions));
}

/** All but component statuses. */
function served(): BuiltinResource[] {
  return builtinResources().filter(({ group, plural }) => group !== "" || plural !== "componentstatuses");
}

function collect(
  groups: Map<string, BuiltinResource[]>,
  resource: BuiltinResource,
): Map<string, BuiltinResource[]> {
  const key = `${resource.plural}.${resource.group}`;
  groups.set(key, [...(groups.get(key) ?? []), resource]);
  return groups;
}
