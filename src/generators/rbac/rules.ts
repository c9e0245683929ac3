import { compareText } from "@tsbuilder/apimachinery/text";

/** A rule of a role, with sorted lists without duplicates. */
export interface PolicyRule {
  groups: readonly string[];
  resources: readonly string[];
  resourceNames: readonly string[];
  urls: readonly string[];
  verbs: readonly string[];
  /** The positions of the markers: `src/controller/mysql_controller.ts:12`. */
  origins: readonly string[];
}

type ListKey = "groups" | "resources" | "resourceNames" | "urls" | "verbs";

const lists: readonly ListKey[] = ["groups", "resources", "resourceNames", "urls", "verbs"];

/**
 * Normalizes rules like controller-gen: first one rule for each resource with the verbs combined, then resources,
 * groups and URLs of otherwise equal rules are combined, once each.
 */
export function mergeRules(rules: readonly PolicyRule[]): PolicyRule[] {
  let merged = splitResources(rules).map(normalize);
  for (const key of ["verbs", "resources", "groups", "urls"] as const) merged = join(merged, key);
  return merged
    .map((rule) => (rule.verbs.includes("*") ? { ...rule, verbs: ["*"] } : rule))
    .sort((a, b) => compareText(sortKey(a), sortKey(b)));
}

function splitResources(rules: readonly PolicyRule[]): PolicyRule[] {
  return rules.flatMap((rule) =>
    rule.resources.length === 0
      ? [rule]
      : rule.resources.map((resource) => ({ ...rule, resources: [resource] })),
  );
}

function normalize(rule: PolicyRule): PolicyRule {
  return {
    groups: sorted(rule.groups.map((group) => (group === "core" ? "" : group))),
    resources: sorted(rule.resources),
    resourceNames: sorted(rule.resourceNames),
    urls: sorted(rule.urls),
    verbs: sorted(rule.verbs),
    origins: sorted(rule.origins),
  };
}

/** Combines rules that only differ in one list. */
function join(rules: readonly PolicyRule[], key: ListKey): PolicyRule[] {
  const joined = new Map<string, PolicyRule>();
  for (const rule of rules) {
    const rest = JSON.stringify(lists.filter((list) => list !== key).map((list) => rule[list]));
    const known = joined.get(rest);
    const origins = sorted([...(known?.origins ?? []), ...rule.origins]);
    joined.set(rest, { ...rule, [key]: sorted([...(known?.[key] ?? []), ...rule[key]]), origins });
  }
  return [...joined.values()];
}

/** Rules for URLs come first, then those of the core group. */
function sortKey({ groups, resources, resourceNames, urls }: PolicyRule): string {
  return [groups, resources, resourceNames, urls].map((list) => list.join("&")).join(" + ");
}

function sorted(values: readonly string[]): string[] {
  return [...new Set(values)].sort(compareText);
}
