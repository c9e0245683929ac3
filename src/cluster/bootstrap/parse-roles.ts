import type { Rule } from "../contract/authorizer.ts";

/** A role of a table. */
export interface ParsedRole {
  readonly name: string;
  readonly rules: readonly Rule[];
  /** The role whose aggregation includes the rules of this one. */
  readonly aggregateTo?: string;
  /** The rules are those of all roles that aggregate to this one. */
  readonly isAggregated: boolean;
}

/**
 * Parses a table of roles. A line without indentation begins a role: `name`, `name | aggregate to role` or
 * `name | aggregated`. Each indented line below is a rule: `verbs | groups | resources | names`, or `verbs | paths`;
 * the group of the core API is `core`.
 */
export function parseRoles(table: string): ParsedRole[] {
  const blocks = table.trim().split(/\n(?! )/);
  return blocks.map((block) => {
    const [head = "", ...lines] = block.split("\n");
    const [name = "", ...notes] = head.split(" | ");
    const aggregateTo = notes.find((note) => note.startsWith(aggregation))?.slice(aggregation.length);
    return {
      name,
      rules: lines.map(parseRule),
      ...(aggregateTo !== undefined && { aggregateTo }),
      isAggregated: notes.includes("aggregated"),
    };
  });
}

const aggregation = "aggregate to ";

function parseRule(line: string): Rule {
  const [verbs = [], second = [], resources, resourceNames] = line
    .split("|")
    .map((part) => part.trim().split(" "));
  if (!resources) return { verbs, nonResourceURLs: second };
  const apiGroups = second.map((name) => (name === "core" ? "" : name));
  return { verbs, apiGroups, resources, ...(resourceNames && { resourceNames }) };
}
