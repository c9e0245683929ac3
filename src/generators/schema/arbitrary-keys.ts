import type { SchemaSources, Typed } from "./environment.ts";
import { followOnce, resolveReference, scopeOf } from "./resolve.ts";
import { shapeOf } from "./shape.ts";

/** Returns whether keys of this type can have any name, as those of `Record<string, T>`. */
export function areArbitrary({ node, env }: Typed, sources: SchemaSources): boolean {
  switch (node.kind) {
    case "keyword":
      return ["string", "number", "any"].includes(node.name);
    case "template":
      return true;
    case "union":
      return node.members.some((member) => areArbitrary({ node: member, env }, sources));
    case "keyof":
      return shapeOf({ node: node.type, env }, sources)?.index !== undefined;
    case "reference": {
      const resolved = resolveReference(node, env, sources);
      if (resolved.kind === "bound") return areArbitrary(resolved.typed, sources);
      if (resolved.kind !== "declared") return false;
      const alias = resolved.parts.find(({ declaration }) => declaration.kind === "alias");
      if (alias?.declaration.kind !== "alias") return false;
      const type = { node: alias.declaration.type, env: scopeOf(alias, node.args, env) };
      return followOnce(alias.declaration, () => areArbitrary(type, sources)) ?? false;
    }
    default:
      return false;
  }
}
