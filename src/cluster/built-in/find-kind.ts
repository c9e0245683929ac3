import { qualifiedName } from "../contract/status-error.ts";
import type { BuiltInKind } from "../kinds/built-in-kind.ts";
import { builtInKinds } from "../kinds/index.ts";

const byResource = new Map(builtInKinds.map((kind) => [kind.resource, kind]));

/** What the cluster knows about a built-in kind besides the generated tables. */
export function findKind(resource: { group: string; plural: string }): BuiltInKind | undefined {
  return byResource.get(qualifiedName(resource));
}
