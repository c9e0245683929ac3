import type { SchemaSources, Typed } from "./environment.ts";
import { indexedProperty } from "./literals.ts";
import { followOnce, resolveReference, scopeOf } from "./resolve.ts";
import { declarationsOf, type Property } from "./shape.ts";

/** Returns whether undefined is a value of a property's type: JSON has no such value, so the field may be absent. */
export function mayBeUndefined(property: Property, sources: SchemaSources): boolean {
  return declarationsOf(property).every(
    ({ type, isDefined }) => !isDefined && includesUndefined(type, sources),
  );
}

function includesUndefined({ node, env }: Typed, sources: SchemaSources): boolean {
  switch (node.kind) {
    case "keyword":
      return node.name === "undefined";
    case "union":
      return node.members.some((member) => includesUndefined({ node: member, env }, sources));
    case "indexed": {
      const property = indexedProperty({ node, env }, sources);
      return property !== undefined && (property.optional || mayBeUndefined(property, sources));
    }
    case "reference": {
      const resolved = resolveReference(node, env, sources);
      if (resolved.kind === "bound") return includesUndefined(resolved.typed, sources);
      if (resolved.kind !== "declared") return false;
      const alias = resolved.parts.find(({ declaration }) => declaration.kind === "alias");
      if (alias?.declaration.kind !== "alias") return false;
      const type = { node: alias.declaration.type, env: scopeOf(alias, node.args, env) };
      return followOnce(alias.declaration, () => includesUndefined(type, sources)) ?? false;
    }
    default:
      return false;
  }
}
