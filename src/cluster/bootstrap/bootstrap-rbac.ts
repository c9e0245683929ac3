import type { ApiObject } from "../contract/api-object.ts";
import { bootstrapRoles, controlPlaneRoles, controllerRoles, namespaceRoles } from "./role-tables.ts";
import type { Rule } from "../contract/authorizer.ts";

/** The groups bound to the roles for users, by role. */
const bootstrapBindings: Readonly<Record<string, readonly string[]>> = {
  "cluster-admin": ["system:masters"],
  "system:basic-user": ["system:authenticated"],
  "system:discovery": ["system:authenticated"],
  "system:monitoring": ["system:monitoring"],
  "system:public-info-viewer": ["system:authenticated", "system:unauthenticated"],
  "system:service-account-issuer-discovery": ["system:serviceaccounts"],
};

const apiGroup = "rbac.authorization.k8s.io";
const apiVersion = `${apiGroup}/v1`;
const aggregateLabel = "rbac.authorization.k8s.io/aggregate-to-";

/** The roles and bindings for users and operators that every cluster has. */
export function bootstrapRBAC(): ApiObject[] {
  const roles = parseRoles(bootstrapRoles).map(({ name, rules, aggregateTo, isAggregated }) => ({
    apiVersion,
    kind: "ClusterRole",
    metadata: metadata(name, aggregateTo === undefined ? {} : { [aggregateLabel + aggregateTo]: "true" }),
    ...(isAggregated
      ? { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [aggregateLabel + name]: "true" } }] } }
      : { rules }),
  }));
  const bindings = Object.entries(bootstrapBindings).map(([name, groups]) =>
    binding(metadata(name), { kind: "ClusterRole", name }, groups.map(group)),
  );
  return [...roles, ...bindings];
}

let controlPlane: readonly ApiObject[] | undefined;

/**
 * The roles of the control plane's components, with bindings to their users and service accounts. Made once for all
 * clusters of the process: stores don't change their objects.
 */
export function controlPlaneRBAC(): readonly ApiObject[] {
  controlPlane ??= [...makeControlPlane()];
  return controlPlane;
}

/** The rules of a role of the control plane. */
export function rulesOfRole(name: string): readonly Rule[] {
  const role = controlPlaneRBAC().find(
    ({ kind, metadata: it }) => kind === "ClusterRole" && it.name === name,
  );
  return role?.["rules"] as readonly Rule[];
}

const authenticationReader = "extension-apiserver-authentication-reader";

function* makeControlPlane(): Generator<ApiObject> {
  for (const { name, rules } of [...parseRoles(controlPlaneRoles), ...parseRoles(controllerRoles)]) {
    yield { apiVersion, kind: "ClusterRole", metadata: metadata(name), rules };
    const subjects = clusterSubjects(name);
    if (subjects) yield binding(metadata(name), { kind: "ClusterRole", name }, subjects);
  }
  for (const { name: path, rules } of parseRoles(namespaceRoles)) {
    const [namespace = "", name = ""] = path.split("/");
    const namespacedMetadata = (roleName: string) => ({ ...metadata(roleName), namespace });
    yield { apiVersion, kind: "Role", metadata: namespacedMetadata(name), rules };
    const bindingName = name === authenticationReader ? `system::${name}` : name;
    yield binding(namespacedMetadata(bindingName), { kind: "Role", name }, namespaceSubjects(name));
  }
}

const controllerPrefix = "system:controller:";

/** The service accounts and users that a role is bound to. Undefined for a role without a binding. */
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
  const component = role.slice("system::leader-locking-".length);
  const elector =
    component === "kube-controller-manager" ? [serviceAccount("leader-election-controller")] : [];
  return [user(`system:${component}`), serviceAccount(component), ...elector];
}

interface ParsedRole {
  readonly name: string;
  readonly rules: readonly Rule[];
  /** The role whose aggregation includes the rules of this one. */
  readonly aggregateTo?: string;
  /** The rules are the union of all roles that aggregate to this one. */
  readonly isAggregated: boolean;
}

const aggregation = "aggregate to ";
const eventsRule = "create patch update | core events.k8s.io | events";

/**
 * Parses a table of roles. A line without indentation begins a role: `name`, perhaps with notes such as
 * `| aggregate to role`, `| aggregated`, or `| writes events` for the last rule of most controllers. Each indented line
 * below is a rule: `verbs | groups | resources | names`, or `verbs | paths`; the group of the core API is `core`.
 */
export function parseRoles(table: string): ParsedRole[] {
  const blocks = table.trim().split(/\n(?! )/);
  return blocks.map((block) => {
    const [firstLine = "", ...lines] = block.split("\n");
    const [name = "", ...notes] = firstLine.split(" | ");
    const aggregateTo = notes.find((note) => note.startsWith(aggregation))?.slice(aggregation.length);
    return {
      name,
      rules: [...lines, ...(notes.includes("writes events") ? [eventsRule] : [])].map(parseRule),
      ...(aggregateTo !== undefined && { aggregateTo }),
      isAggregated: notes.includes("aggregated"),
    };
  });
}

function parseRule(line: string): Rule {
  const [verbs = [], groupsOrPaths = [], resources, resourceNames] = line
    .split("|")
    .map((part) => part.trim().split(" "));
  if (!resources) return { verbs, nonResourceURLs: groupsOrPaths };
  const apiGroups = groupsOrPaths.map((name) => (name === "core" ? "" : name));
  return { verbs, apiGroups, resources, ...(resourceNames && { resourceNames }) };
}

const metadata = (name: string, labels: Record<string, string> = {}) => ({
  name,
  labels: { "kubernetes.io/bootstrapping": "rbac-defaults", ...labels },
  annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
});

const user = (name: string) => ({ apiGroup, kind: "User", name });
const group = (name: string) => ({ apiGroup, kind: "Group", name });
const serviceAccount = (name: string) => ({ kind: "ServiceAccount", name, namespace: "kube-system" });

function binding(
  bindingMetadata: ApiObject["metadata"],
  role: { kind: "ClusterRole" | "Role"; name: string },
  subjects: readonly object[],
): ApiObject {
  const kind = `${role.kind}Binding`;
  const roleRef = { apiGroup, ...role };
  return { apiVersion, kind, metadata: bindingMetadata, roleRef, ...(subjects.length > 0 && { subjects }) };
}
