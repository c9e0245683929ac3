import type { SchemaSources, Typed } from "./environment.ts";
import { markersOn } from "./markers-on.ts";
import { followOnce, resolveReference, scopeOf } from "./resolve.ts";

/** The members of a union, including those of type parameters, and of named unions and keywords without markers. */
export function unionMembers(typed: Typed, sources: SchemaSources): Typed[] {
  const { node, env } = typed;
  if (node.kind === "union") {
    return node.members.flatMap((member) => unionMembers({ node: member, env }, sources));
  }
  if (node.kind !== "reference") return [typed];
  const resolved = resolveReference(node, env, sources);
  if (resolved.kind === "bound") return unionMembers(resolved.typed, sources);
  if (resolved.kind !== "declared") return [typed];
  const alias = resolved.parts.find(({ declaration }) => declaration.kind === "alias");
  if (alias?.declaration.kind !== "alias") return [typed];
  const { type, comments } = alias.declaration;
  if (!["union", "keyword", "reference"].includes(type.kind)) return [typed];
  if (markersOn(comments, "type", alias.module, sources).length > 0) return [typed];
  const followed = { node: type, env: scopeOf(alias, node.args, env) };
  return followOnce(alias.declaration, () => unionMembers(followed, sources)) ?? [typed];
}

export function isKeyword({ node }: Typed, name: string): boolean {
  return node.kind === "keyword" && node.name === name;
}

/** Returns whether a type has no values but null: a field of it has no type of its own. */
export function isNothing(member: Typed): boolean {
  return ["null", "undefined", "never"].some((name) => isKeyword(member, name));
}
