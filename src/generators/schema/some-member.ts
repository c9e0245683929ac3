import type { SchemaSources, Typed } from "./environment.ts";
import { followOnce, resolveReference, scopeOf } from "./resolve.ts";

/** Returns whether a type passes a test, or one member of a union does; aliases and type parameters are followed. */
export function someMember(
  { node, env }: Typed,
  sources: SchemaSources,
  passes: (member: Typed) => boolean,
): boolean {
  if (node.kind === "union") {
    return node.members.some((member) => someMember({ node: member, env }, sources, passes));
  }
  if (node.kind !== "reference") return passes({ node, env });
  const resolved = resolveReference(node, env, sources);
  if (resolved.kind === "bound") return someMember(resolved.typed, sources, passes);
  if (resolved.kind !== "declared") return false;
  const alias = resolved.parts.find(({ declaration }) => declaration.kind === "alias");
  if (alias?.declaration.kind !== "alias") return false;
  const type = { node: alias.declaration.type, env: scopeOf(alias, node.args, env) };
  return followOnce(alias.declaration, () => someMember(type, sources, passes)) ?? false;
}
