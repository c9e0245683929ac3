import type { Rule } from "../contract/authorizer.ts";

/** The permissions of the wanted rules that no held rule covers. */
export function missingRules(held: readonly Rule[], wanted: readonly Rule[]): Rule[] {
  return wanted.flatMap(permissionsOf).filter((permission) => !held.some((rule) => covers(rule, permission)));
}

/** Lists permissions as the real server does: a line for each resource with all its verbs, sorted. */
export function describeRules(permissions: readonly Rule[]): string {
  const merged = new Map<string, Rule>();
  for (const permission of permissions) {
    const { verbs, ...scope } = permission;
    const key = JSON.stringify(scope.nonResourceURLs ? permission : scope);
    merged.set(key, { ...scope, verbs: [...new Set([...(merged.get(key)?.verbs ?? []), ...verbs])] });
  }
  const lines = [...merged.values()].map((rule) => {
    const parts = [
      list("APIGroups", rule.apiGroups),
      list("Resources", rule.resources),
      list("NonResourceURLs", rule.nonResourceURLs),
      list("ResourceNames", rule.resourceNames),
      list("Verbs", rule.verbs),
    ];
    return `{${parts.filter((part) => part !== "").join(", ")}}`;
  });
  return [...new Set(lines)].toSorted().join("\n");
}

function list(name: string, values: readonly string[] = []): string {
  return values.length === 0 ? "" : `${name}:[${values.map((value) => JSON.stringify(value)).join(" ")}]`;
}

function permissionsOf({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: Rule): Rule[] {
  const names = resourceNames?.length ? resourceNames.map((name) => [name]) : [undefined];
  return [
    ...(apiGroups ?? []).flatMap((group) =>
      (resources ?? []).flatMap((resource) =>
        verbs.flatMap((verb) =>
          names.map((name) => ({
            apiGroups: [group],
            resources: [resource],
            verbs: [verb],
            ...(name && { resourceNames: name }),
          })),
        ),
      ),
    ),
    ...(nonResourceURLs ?? []).flatMap((url) =>
      verbs.map((verb) => ({ nonResourceURLs: [url], verbs: [verb] })),
    ),
  ];
}

/** Whether a rule includes a permission. */
function covers(rule: Rule, permission: Rule): boolean {
  if (!includesAll(rule.verbs, permission.verbs)) return false;
  const [url] = permission.nonResourceURLs ?? [];
  if (url !== undefined) return (rule.nonResourceURLs ?? []).some((held) => coversURL(held, url));
  const names = rule.resourceNames ?? [];
  const hasNames =
    names.length === 0 || (permission.resourceNames?.some((name) => names.includes(name)) ?? false);
  return (
    hasNames &&
    includesAll(rule.apiGroups, permission.apiGroups) &&
    coversResource(rule.resources ?? [], permission.resources![0]!)
  );
}

function includesAll(held: readonly string[] = [], wanted: readonly string[] = []): boolean {
  return held.includes("*") || wanted.every((each) => held.includes(each));
}

function coversResource(held: readonly string[], resource: string): boolean {
  const slash = resource.indexOf("/");
  return (
    held.includes("*") || held.includes(resource) || (slash > 0 && held.includes(`*${resource.slice(slash)}`))
  );
}

function coversURL(held: string, url: string): boolean {
  return held === url || (held.endsWith("*") && url.startsWith(held.slice(0, -1)));
}
