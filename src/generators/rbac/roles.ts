import { compareText } from "@tsbuilder/apimachinery/text";
import { text } from "../markers/definition.ts";
import { positionAt } from "../../shared/text.ts";
import { isGateOn } from "../feature-gates.ts";
import type { Marker } from "../markers/collect.ts";
import type { GeneratorOptions } from "../options.ts";
import { mergeRules, type PolicyRule } from "./rules.ts";

/** A role to write, with the sources of each rule. */
export interface Role {
  readonly object: object;
  readonly rules: readonly PolicyRule[];
}

const defaultRoleName = "manager-role";

/** Generates the roles from all rbac markers of a project: cluster roles first, then by namespace and name. */
export function rolesOf(markers: readonly Marker[], options: GeneratorOptions): Role[] {
  const byRole = new Map<string, { namespace: string; name: string; rules: PolicyRule[] }>();
  for (const marker of markers) {
    if (!isGateOn(marker.args["featureGate"], options)) continue;
    const namespace = text(marker.args, "namespace");
    const name = text(marker.args, "roleName") || options.roleName || defaultRoleName;
    const key = `${namespace}\0${name}`;
    const role = byRole.get(key) ?? { namespace, name, rules: [] };
    role.rules.push(ruleOf(marker));
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
        rules: merged.map(policyRule),
      };
      return { object, rules: merged };
    });
}

function ruleOf({ args, place }: Marker): PolicyRule {
  const list = (name: string): readonly string[] => (args[name] ?? []) as readonly string[];
  const { file, line } = positionAt(place.module.file, place.module.text, place.pos);
  return {
    groups: list("groups"),
    resources: list("resources"),
    resourceNames: list("resourceNames"),
    urls: list("urls"),
    verbs: list("verbs"),
    origins: [`${file}:${line}`],
  };
}

function policyRule({ groups, resources, resourceNames, urls, verbs }: PolicyRule): object {
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
