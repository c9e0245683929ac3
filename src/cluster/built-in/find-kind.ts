import { qualifiedName } from "../contract/status-error.ts";
import type { BuiltInKind } from "../kinds/built-in-kind.ts";
import { builtInKinds } from "../kinds/index.ts";

const byResource = new Map(builtInKinds.map((kind) => [kind.resource, kind]));

/** What is known of a resource's kind besides the tables. */
export function findKind(resource: { group: string; plural: string }): BuiltInKind | undefined {
  return byResource.get(qualifiedName(resource));
}
