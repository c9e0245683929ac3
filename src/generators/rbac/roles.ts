import { builtinResources } from "@tsbuilder/apimachinery/kinds";
import { compareText } from "@tsbuilder/apimachinery/text";
import { strings, text } from "../markers/definition.ts";
import { positionAt } from "../../shared/text.ts";
import { type GeneratorOptions, isGateOn } from "../model/options.ts";
import type { Marker } from "../markers/collect.ts";
import type { DiagnosticLog } from "../model/diagnostic.ts";

/** A rule of a role. Its lists have the names of the marker's arguments. */
interface RbacRule {
  groups: readonly string[];
  resources: readonly string[];
  resourceNames: readonly string[];
  urls: readonly string[];
  verbs: readonly string[];
  /** The positions of the markers: `src/controller/mysql_controller.ts:12`. */
  origins: readonly string[];
}

/** A role to write, with the sources of each rule. */
interface Role {
  readonly object: object;
  readonly rules: readonly RbacRule[];
}

const defaultRoleName = "manager-role";

/**
 * Generates the roles from all rbac markers of a project: cluster roles first, then by namespace and name. Warns of rules
 * that allow nothing.
 */
export function generateRoles(
  markers: readonly Marker[],
  options: GeneratorOptions,
  log: DiagnosticLog,
): Role[] {
  for (const marker of markers) checkResources(marker, log);
  const byRole = new Map<string, { namespace: string; name: string; rules: RbacRule[] }>();
  for (const marker of markers) {
    if (!isGateOn(marker.args["featureGate"], options)) continue;
    const namespace = text(marker.args, "namespace");
    const name = text(marker.args, "roleName") || options.roleName || defaultRoleName;
    const key = `${namespace}\0${name}`;
    const role = byRole.get(key) ?? { namespace, name, rules: [] };
    role.rules.push(readRule(marker));
    byRole.set(key, role);
  }
  return [...byRole.values()]
    .sort((a, b) => compareText(a.namespace, b.namespace) || compareText(a.name, b.name))
    .map(({ namespace, name, rules }) => {
      const merged = mergeRules(rules);
      const object = {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: namespace === "" ? "ClusterRole" : "Role",
        metadata: { name, namespace: namespace === "" ? undefined : namespace },
        rules: merged.map(toPolicyRule),
      };
      return { object, rules: merged };
    });
}

/** Finds kinds where a rule needs resources: `Secret` or `secret` for `secrets`. The API server accepts them. */
function checkResources({ args, place }: Marker, log: DiagnosticLog): void {
  const groups = strings(args, "groups").map((group) => (group === "core" ? "" : group));
  for (const resource of strings(args, "resources")) {
    const [name = ""] = resource.split("/");
    const named = builtinResources().filter(({ group, kind }) => {
      return groups.includes(group) && kind.toLowerCase() === name.toLowerCase();
    });
    const [{ plural } = {}] = named;
    if (plural === name || (plural === undefined && !/[A-Z]/u.test(name))) continue;
    const hint = `name the resource: ${plural ?? "its plural, in lower case"}`;
    log.warn(place, `there is no resource "${name}", so that the rule allows nothing`, hint);
  }
}

function readRule({ args, place }: Marker): RbacRule {
  const { file, line } = positionAt(place.module.file, place.module.text, place.pos);
  return {
    groups: strings(args, "groups"),
    resources: strings(args, "resources"),
    resourceNames: strings(args, "resourceNames"),
    urls: strings(args, "urls"),
    verbs: strings(args, "verbs"),
    origins: [`${file}:${line}`],
  };
}

function toPolicyRule({ groups, resources, resourceNames, urls, verbs }: RbacRule): object {
  const list = (values: readonly string[]): readonly string[] | undefined =>
    values.length > 0 ? values : undefined;
  return {
    apiGroups: list(groups),
    nonResourceURLs: list(urls),
    resourceNames: list(resourceNames),
    resources: list(resources),
    verbs,
  };
}

/** Normalizes rules like controller-gen: a rule for each resource, then those that differ in one list are joined. */
function mergeRules(rules: readonly RbacRule[]): RbacRule[] {
  let merged = splitResources(rules).map(normalize);
  for (const key of ["verbs", "resources", "groups", "urls"] as const) merged = joinRules(merged, key);
  return merged
    .map((rule) => (rule.verbs.includes("*") ? { ...rule, verbs: ["*"] } : rule))
    .sort((a, b) => compareText(sortKey(a), sortKey(b)));
}

function splitResources(rules: readonly RbacRule[]): RbacRule[] {
  return rules.flatMap((rule) =>
    rule.resources.length === 0
      ? [rule]
      : rule.resources.map((resource) => ({ ...rule, resources: [resource] })),
  );
}

function normalize(rule: RbacRule): RbacRule {
  return {
    groups: sortUnique(rule.groups.map((group) => (group === "core" ? "" : group))),
    resources: sortUnique(rule.resources),
    resourceNames: sortUnique(rule.resourceNames),
    urls: sortUnique(rule.urls),
    verbs: sortUnique(rule.verbs),
    origins: sortUnique(rule.origins),
  };
}

type ListKey = "groups" | "resources" | "resourceNames" | "urls" | "verbs";

const lists: readonly ListKey[] = ["groups", "resources", "resourceNames", "urls", "verbs"];

/** Combines rules that only differ in one list. */
function joinRules(rules: readonly RbacRule[], key: ListKey): RbacRule[] {
  const joined = new Map<string, RbacRule>();
  for (const rule of rules) {
    const rest = JSON.stringify(lists.filter((list) => list !== key).map((list) => rule[list]));
    const known = joined.get(rest);
    const origins = sortUnique([...(known?.origins ?? []), ...rule.origins]);
    joined.set(rest, { ...rule, [key]: sortUnique([...(known?.[key] ?? []), ...rule[key]]), origins });
  }
  return [...joined.values()];
}

/** Returns the key by which controller-gen sorts: rules for URLs come first, then those of the core group. */
function sortKey({ groups, resources, resourceNames, urls }: RbacRule): string {
  return [groups, resources, resourceNames, urls].map((list) => list.join("&")).join(" + ");
}

function sortUnique(values: readonly string[]): string[] {
  return [...new Set(values)].sort(compareText);
}

/** Adds comments above each rule of a role with the markers it comes from. */
export function addProvenance(text: string, roles: readonly Role[]): string {
  const rules = roles.flatMap((role) => role.rules);
  let next = 0;
  let isInRules = false;
  return text
    .split("\n")
    .flatMap((line) => {
      if (/^\S/u.test(line) && !line.startsWith("- ")) isInRules = line === "rules:";
      if (!isInRules || !line.startsWith("- ")) return [line];
      const { origins = [] } = rules[next++] ?? {};
      return [...origins.map((origin) => `# ${origin}`), line];
    })
    .join("\n");
}
