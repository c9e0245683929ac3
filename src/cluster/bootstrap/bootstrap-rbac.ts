import type { ApiObject } from "../contract/api-object.ts";
import type { Rule } from "../contract/authorizer.ts";
import { bootstrapBindings, bootstrapRoles } from "./bootstrap-roles.ts";
import { controlPlaneNamespaceRoles, controlPlaneRoles } from "./control-plane-roles.ts";

const apiGroup = "rbac.authorization.k8s.io";
const apiVersion = `${apiGroup}/v1`;
const metadata = (name: string, labels: Record<string, string> = {}) => ({
  name,
  labels: { "kubernetes.io/bootstrapping": "rbac-defaults", ...labels },
  annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
});

export const aggregateLabel = "rbac.authorization.k8s.io/aggregate-to-";

/** The roles and bindings for people and operators that a cluster has from the start. */
export function bootstrapRBAC(): ApiObject[] {
  const roles = bootstrapRoles.map(({ name, rules, aggregateTo = [], aggregates }) => ({
    apiVersion,
    kind: "ClusterRole",
    metadata: metadata(name, Object.fromEntries(aggregateTo.map((to) => [`${aggregateLabel}${to}`, "true"]))),
    ...(rules && { rules }),
    ...(aggregates && {
      aggregationRule: {
        clusterRoleSelectors: [{ matchLabels: { [`${aggregateLabel}${aggregates}`]: "true" } }],
      },
    }),
  }));
  const bindings = bootstrapBindings.map(({ name, role, groups }) =>
    binding(metadata(name), { kind: "ClusterRole", name: role }, groups.map(group)),
  );
  return [...roles, ...bindings];
}

/** The roles of a control plane's own parts, and bindings to the accounts under which these are known. */
export function* controlPlaneRBAC(): Generator<ApiObject> {
  for (const [name, rules] of parseRoles(controlPlaneRoles)) {
    yield { apiVersion, kind: "ClusterRole", metadata: metadata(name), rules };
    const subjects = clusterSubjects(name);
    if (subjects) yield binding(metadata(name), { kind: "ClusterRole", name }, subjects);
  }
  for (const [path, rules] of parseRoles(controlPlaneNamespaceRoles)) {
    const [namespace = "", name = ""] = path.split("/");
    const here = (own: string) => ({ ...metadata(own), namespace });
    yield { apiVersion, kind: "Role", metadata: here(name), rules };
    const bound = name === authenticationReader ? `system::${name}` : name;
    yield binding(here(bound), { kind: "Role", name }, namespaceSubjects(name));
  }
}

const authenticationReader = "extension-apiserver-authentication-reader";
const controllerPrefix = "system:controller:";

/** Controllers have service accounts, other parts are users; nodes and the rest are bound by who needs them. */
function clusterSubjects(role: string): object[] | undefined {
  if (role.startsWith(controllerPrefix)) return [serviceAccount(role.slice(controllerPrefix.length))];
  switch (role) {
    case "system:kube-controller-manager":
    case "system:kube-scheduler":
      return [user(role)];
    case "system:volume-scheduler":
      return [user("system:kube-scheduler")];
    case "system:node-proxier":
      return [user("system:kube-proxy")];
    case "system:kube-dns":
      return [serviceAccount("kube-dns")];
    case "system:node":
      return [];
    default:
      return undefined;
  }
}

function namespaceSubjects(role: string): object[] {
  if (role.startsWith(controllerPrefix)) return [serviceAccount(role.slice(controllerPrefix.length))];
  if (role === authenticationReader) {
    return [user("system:kube-controller-manager"), user("system:kube-scheduler")];
  }
  const part = role.slice("system::leader-locking-".length);
  const elector = part === "kube-controller-manager" ? [serviceAccount("leader-election-controller")] : [];
  return [user(`system:${part}`), serviceAccount(part), ...elector];
}

const user = (name: string) => ({ apiGroup, kind: "User", name });
const group = (name: string) => ({ apiGroup, kind: "Group", name });
const serviceAccount = (name: string) => ({ kind: "ServiceAccount", name, namespace: "kube-system" });

function binding(
  itsMetadata: ApiObject["metadata"],
  role: { kind: "ClusterRole" | "Role"; name: string },
  subjects: readonly object[],
): ApiObject {
  const kind = `${role.kind}Binding`;
  const roleRef = { apiGroup, ...role };
  return { apiVersion, kind, metadata: itsMetadata, roleRef, ...(subjects.length > 0 && { subjects }) };
}

/** Reads a table of roles: a name, then its rules, indented. */
function parseRoles(table: string): Map<string, Rule[]> {
  const roles = new Map<string, Rule[]>();
  let rules: Rule[] = [];
  for (const line of table.trim().split("\n")) {
    if (line.startsWith(" ")) rules.push(parseRule(line));
    else roles.set(line, (rules = []));
  }
  return roles;
}

function parseRule(line: string): Rule {
  const [verbs = [], second = [], resources, resourceNames] = line
    .split("|")
    .map((part) => part.trim().split(" "));
  if (!resources) return { verbs, nonResourceURLs: second };
  const apiGroups = second.map((name) => (name === "core" ? "" : name));
  return { verbs, apiGroups, resources, ...(resourceNames && { resourceNames }) };
}
