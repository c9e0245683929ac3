import type { SchemaSources, Typed } from "./environment.ts";
import { literalValues } from "./literals.ts";
import { resolveReference } from "./resolve.ts";

/** Converts a template literal type to an anchored pattern: `${number}m` to `^-?[0-9]+(\.[0-9]+)?m$`. */
export function templatePattern(typed: Typed, sources: SchemaSources): string {
  return `^${partPattern(typed, sources)}$`;
}

function partPattern({ node, env }: Typed, sources: SchemaSources): string {
  if (node.kind !== "template") return "";
  const spans = node.spans.map(({ type, text }) => holePattern({ node: type, env }, sources) + escape(text));
  return escape(node.head) + spans.join("");
}

function holePattern(typed: Typed, sources: SchemaSources): string {
  const { node, env } = typed;
  const values = literalValues(typed, sources);
  if (values) return group(values.map((value) => escape(String(value))));
  if (node.kind === "template") return partPattern(typed, sources);
  if (node.kind === "union")
    return group(node.members.map((member) => holePattern({ node: member, env }, sources)));
  if (node.kind === "keyword") return keywords[node.name] ?? ".*";
  if (node.kind !== "reference") return ".*";
  const resolved = resolveReference(node, env, sources);
  if (resolved.kind === "external") return /^int(?:32|64)$/u.test(resolved.name) ? "-?[0-9]+" : ".*";
  if (resolved.kind === "bound") return holePattern(resolved.typed, sources);
  if (resolved.kind !== "declared") return ".*";
  const alias = resolved.parts.find(({ declaration }) => declaration.kind === "alias");
  if (alias?.declaration.kind !== "alias") return ".*";
  return holePattern(
    { node: alias.declaration.type, env: { module: alias.module, bindings: new Map() } },
    sources,
  );
}

const keywords: Readonly<Record<string, string>> = {
  number: "-?[0-9]+(\\.[0-9]+)?",
  bigint: "-?[0-9]+",
  boolean: "(true|false)",
  string: ".*",
};

function group(alternatives: readonly string[]): string {
  return alternatives.length === 1 ? alternatives[0]! : `(${alternatives.join("|")})`;
}

function escape(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/gu, "\\$&");
}
