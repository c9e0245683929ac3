import type { PolicyRule, RoleRef, Subject } from "@tsbuilder/apimachinery/k8s/rbac/v1";
import { compareText } from "@tsbuilder/apimachinery/text";
import { describeObject, type ManifestObject } from "../ship/manifest.ts";
import type { Permission } from "./csv.ts";
import type { Deployment } from "./served-by.ts";

/** The service accounts that OLM makes, and where they are in the rendered deployment. */
export interface Accounts {
  readonly names: ReadonlySet<string>;
  readonly namespace: string | undefined;
}

export interface SplitRoles {
  /** In the namespaces that the operator watches. */
  readonly permissions: readonly Permission[];
  readonly clusterPermissions: readonly Permission[];
  /** Roles and bindings for others, which stay manifests. */
  readonly others: readonly ManifestObject[];
}

type Role = ManifestObject & { readonly rules?: readonly PolicyRule[] | null };
type Binding = ManifestObject & { readonly roleRef: RoleRef; readonly subjects?: readonly Subject[] };

const roleKinds = new Set(["Role", "ClusterRole"]);
const bindingKinds = new Set(["RoleBinding", "ClusterRoleBinding"]);

export function isRbac({ kind }: ManifestObject): boolean {
  return roleKinds.has(kind) || bindingKinds.has(kind);
}

/** The roles with which an operator makes the certificate of its webhooks, and their bindings. */
export function isForOwnCertificate(object: ManifestObject): boolean {
  return isRbac(object) && /(?:^|-)webhook-(?:ca|certs)-role(?:binding)?$/u.test(object.metadata.name);
}

/**
 * Moves what the operator's service accounts may do from roles and bindings into permissions. A binding whose role is
 * not among the objects, such as the built-in `view`, stays as it is.
 */
export function splitRoles(objects: readonly ManifestObject[], accounts: Accounts): SplitRoles {
  const roles = objects.filter(({ kind }) => roleKinds.has(kind)) as Role[];
  const rules = { own: new Map<string, PolicyRule[]>(), cluster: new Map<string, PolicyRule[]>() };
  const moved = new Set<ManifestObject>();
  const stillBound = new Set<ManifestObject>();
  const bindings: Binding[] = [];
  for (const binding of objects.filter(({ kind }) => bindingKinds.has(kind)) as Binding[]) {
    const role = roles.find((each) => isRoleOf(binding, each));
    const { subjects = [] } = binding;
    const own = role ? subjects.filter((subject) => isAccount(subject, accounts)) : [];
    const others = subjects.filter((subject) => !own.includes(subject));
    for (const { name } of own) {
      const target = binding.kind === "RoleBinding" ? rules.own : rules.cluster;
      target.set(name, [...(target.get(name) ?? []), ...(role!.rules ?? [])]);
    }
    if (role && own.length > 0) moved.add(role);
    if (own.length > 0 && others.length === 0) continue;
    bindings.push(own.length === 0 ? binding : { ...binding, subjects: others });
    if (role) stillBound.add(role);
  }
  return {
    permissions: toPermissions(rules.own),
    clusterPermissions: toPermissions(rules.cluster),
    others: [...roles.filter((role) => !moved.has(role) || stillBound.has(role)), ...bindings],
  };
}

function isRoleOf({ roleRef, metadata }: Binding, role: Role): boolean {
  const isSameNamespace = role.kind === "ClusterRole" || role.metadata.namespace === metadata.namespace;
  return role.kind === roleRef.kind && role.metadata.name === roleRef.name && isSameNamespace;
}

function isAccount({ kind, name, namespace }: Subject, accounts: Accounts): boolean {
  const isThere = namespace === undefined || namespace === accounts.namespace;
  return kind === "ServiceAccount" && accounts.names.has(name) && isThere;
}

/** Roles of several namespaces, and of several features, have rules in common. */
function toPermissions(rules: ReadonlyMap<string, readonly PolicyRule[]>): Permission[] {
  return [...rules]
    .map(([serviceAccountName, all]) => ({
      serviceAccountName,
      rules: [...new Map(all.map((rule) => [JSON.stringify(rule), rule])).values()],
    }))
    .filter((permission) => permission.rules.length > 0)
    .sort((a, b) => compareText(a.serviceAccountName, b.serviceAccountName));
}

/**
 * Permissions without rules for service accounts of the operator that have no others: OLM creates only those with
 * permissions, and does not accept one that a Deployment runs as among the manifests.
 */
export function permitNothing(
  objects: readonly ManifestObject[],
  deployments: readonly Deployment[],
  { permissions, clusterPermissions }: SplitRoles,
): Permission[] {
  const used = new Set(deployments.map(({ spec }) => spec.template.spec?.serviceAccountName));
  const permitted = new Set([...permissions, ...clusterPermissions].map((one) => one.serviceAccountName));
  return objects
    .filter(({ kind, metadata }) => kind === "ServiceAccount" && used.has(metadata.name))
    .filter(({ metadata }) => !permitted.has(metadata.name))
    .map(({ metadata }) => ({ serviceAccountName: metadata.name, rules: [] }));
}

/** Bindings that name a namespace, which is only known once somebody installs the bundle. */
export function bindingNotes(others: readonly ManifestObject[], { namespace }: Accounts): string[] {
  return (others as Binding[])
    .filter(({ subjects = [] }) => subjects.some((subject) => namespace && subject.namespace === namespace))
    .map(
      (binding) =>
        `${describeObject({ ...binding, metadata: { name: binding.metadata.name } })} is for service accounts in ${namespace}: OLM does not replace this namespace where it installs the operator in another one`,
    );
}
