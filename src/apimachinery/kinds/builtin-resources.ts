import type { GroupVersion } from "../meta/index.ts";
import type { BuiltinResource } from "./builtin-resource.ts";
import { text } from "./generated/resources.ts";

/** Returns all built-in resources in the order of discovery, the core group first. Frozen and shared. */
export function builtinResources(): readonly BuiltinResource[] {
  return (resources ??= freeze(JSON.parse(text) as BuiltinResource[]));
}

/** Finds a resource by its plural name, as in URLs. */
export function findResource({ group, version }: GroupVersion, plural: string): BuiltinResource | undefined {
  return builtinResources().find(
    (resource) => resource.plural === plural && resource.group === group && resource.version === version,
  );
}

/** Finds the resource of a kind. Kinds of subresources have none, such as `Scale` and `Eviction`. */
export function findKind({ group, version }: GroupVersion, kind: string): BuiltinResource | undefined {
  return builtinResources().find(
    (resource) => resource.kind === kind && resource.group === group && resource.version === version,
  );
}

let resources: readonly BuiltinResource[] | undefined;

function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const child of Object.values(value)) freeze(child);
    Object.freeze(value);
  }
  return value;
}
