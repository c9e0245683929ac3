// The checks of `tsbuilder doctor`, each of which returns findings: of the project's files, here; of its packages and
// lock file; of the tools on this machine.

import { builtinResources } from "@tsbuilder/apimachinery/kinds";
import { isObject } from "@tsbuilder/apimachinery/json";
import { planManifests } from "../../generators/manifests.ts";
import { describeProject } from "../../plugins/plan-project.ts";
import { partKeys } from "../../plugins/contract/plugin.ts";
import { renderPart } from "../../scaffold/blueprint.ts";
import { findInsert, hasMarker, markerLine } from "../../scaffold/insert.ts";
import { conflictMarkers } from "../../scaffold/merge.ts";
import type { OpenProject } from "../project/open-project.ts";
import type { Finding } from "../reporting/report.ts";
import { wrong } from "./check-packages.ts";
import { type Project, clusterRoleName, qualifiedGroup } from "../../project/project.ts";
import type { Tree } from "../../scaffold/tree.ts";
import { readYaml } from "../../shared/read-yaml.ts";
import { OwnedFiles } from "../../scaffold/owned-files.ts";

export const roleFile = "config/rbac/role.yaml";

/** Parts that users may delete on purpose: README, workflows and the like. */
const deletableParts: readonly string[] = [partKeys.project, partKeys.e2eWebhooks];

/** Compares a project's files with its `PROJECT` file. Returns one good finding if nothing is wrong. */
export async function checkProject({ project, tree }: OpenProject): Promise<Finding[]> {
  // Only paths and inserted lines are compared, and these contain neither a license header nor a version.
  const inputs = { boilerplate: "", packages: { runtime: "", cluster: "", simulation: "", tsbuilder: "" } };
  const { parts, inserts: allInserts } = describeProject(project, inputs);
  const inserts = allInserts.filter(({ isOptional }) => !isOptional);
  const missing = parts
    .filter(({ key }) => !deletableParts.includes(key))
    .flatMap((part) => renderPart(part))
    .filter(({ path }) => !tree.has(path))
    .map(({ path }) =>
      wrong(
        path,
        "the file is missing",
        "restore it from version control, or run tsbuilder create again with --force",
      ),
    );
  const markers = new Map(inserts.map((insert) => [`${insert.file} ${insert.marker}`, insert]));
  const unmarked = [...markers.values()]
    .filter(({ file }) => tree.has(file))
    .filter((insert) => !hasMarker(tree.read(insert.file)!, insert))
    .map((insert) =>
      wrong(
        insert.file,
        `the line "${markerLine(insert)}" is missing`,
        "add it back where tsbuilder may insert lines",
      ),
    );
  const unwired = inserts
    .filter(({ file }) => tree.has(file))
    .filter((insert) => !findInsert(tree.read(insert.file)!, insert))
    .map((insert) =>
      wrong(
        insert.file,
        `"${insert.text}" is missing`,
        `paste it above "${markerLine(insert)}", or delete the kind with tsbuilder delete`,
      ),
    );
  const generated = await checkGenerated(tree);
  // An outdated role is no evidence of a wrong marker.
  const roles = generated.some(({ subject }) => subject === roleFile)
    ? []
    : [...checkRoles(project, tree), ...checkBindings(tree)];
  const findings = [...missing, ...unmarked, ...unwired, ...generated, ...roles];
  if (findings.length > 0) return findings;
  return [{ state: "good", subject: "PROJECT", message: "the files match it and are up to date" }];
}

/** Finds generated files that differ from the types and markers. */
async function checkGenerated(tree: Tree): Promise<Finding[]> {
  const { changes, stale, diagnostics } = await planManifests(tree);
  const outdated = changes.map(({ path }) => {
    const isThere = tree.has(path);
    const message = isThere
      ? "the types or markers have changed since it was generated"
      : "the file is missing";
    return wrong(path, message, "npm run manifests");
  });
  const orphaned = stale.map((path) =>
    wrong(path, "no kind generates this CRD any more", "npm run manifests removes it"),
  );
  const errors = diagnostics.map(({ message, at, hint }) =>
    wrong(at ? `${at.file}:${at.line}` : "api/", message, hint ?? "fix the source"),
  );
  return [...outdated, ...orphaned, ...errors];
}

interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly verbs?: readonly string[];
}

interface Role {
  readonly kind?: string;
  readonly metadata?: { readonly name?: string };
  readonly rules?: readonly (Rule | null)[];
}

/** Finds permissions on cluster-scoped kinds in the Role of a namespaced operator, which can't give them. */
export function checkRoles(project: Project, tree: Tree): Finding[] {
  const text = project.namespaced ? tree.read(roleFile) : undefined;
  if (text === undefined) return [];
  const kinds = clusterScopedKinds(project);
  const roles = readYaml(roleFile, text) as readonly (Role | null)[];
  const disallowed = roles
    .filter((role) => role?.kind === "ClusterRole" && role.metadata?.name === "manager-role")
    .flatMap((role) => role?.rules ?? [])
    .flatMap((rule) => kinds.filter((kind) => rule && allows(rule, kind)))
    .map(({ group, plural }) => [plural, group].filter(Boolean).join("."));
  const bindingStep = tree.has("config/rbac/cluster_role_binding.yaml")
    ? ""
    : `, and bind ${clusterRoleName} with a ClusterRoleBinding in config/rbac`;
  return [...new Set(disallowed)].map((name) =>
    wrong(
      roleFile,
      `the operator is namespaced, and a Role can't allow "${name}", which is cluster-scoped`,
      `add roleName=${clusterRoleName} to its +kubebuilder:rbac markers, run npm run manifests${bindingStep}`,
    ),
  );
}

interface ClusterScopedKind {
  readonly group: string;
  readonly plural: string;
  /** The project defines the kind. */
  readonly isOwn: boolean;
}

function clusterScopedKinds({ resources }: Project): ClusterScopedKind[] {
  const own = resources
    .filter(({ namespaced }) => !namespaced)
    .map((resource) => ({ group: qualifiedGroup(resource), plural: resource.plural, isOwn: true }));
  const builtIn = builtinResources()
    .filter(({ scope }) => scope === "Cluster")
    .map(({ group, plural }) => ({ group, plural, isOwn: false }));
  return [...own, ...builtIn.filter((kind) => !own.some((ownKind) => isSameKind(kind, ownKind)))];
}

const isSameKind = (a: ClusterScopedKind, b: ClusterScopedKind): boolean =>
  a.group === b.group && a.plural === b.plural;

/**
 * Returns whether a rule certainly means a kind. `*` for all resources of a group counts for the project's own kinds
 * only: in other groups, the namespaced kinds may be meant. `get` alone does not count either: some operators read an
 * object where they may, and do without it elsewhere.
 */
function allows({ apiGroups = [], resources = [], verbs = [] }: Rule, kind: ClusterScopedKind): boolean {
  const plurals = resources.map((resource) => resource.split("/")[0]!);
  return (
    verbs.some((verb) => verb !== "get") &&
    [kind.group, "*"].some((group) => apiGroups.includes(group)) &&
    [kind.plural, ...(kind.isOwn ? ["*"] : [])].some((plural) => plurals.includes(plural))
  );
}

/** Finds generated roles that no binding refers to: an option names the role, and the binding is the user's file. */
export function checkBindings(tree: Tree): Finding[] {
  const roles = readYaml(roleFile, tree.read(roleFile) ?? "") as readonly (Role | null)[];
  const names = new Set(roles.flatMap((role) => role?.metadata?.name ?? []));
  const bound = new Set(
    tree
      .list("config")
      .filter((path) => /\.ya?ml$/u.test(path))
      .flatMap((path) => boundRoles(path, tree.read(path))),
  );
  return [...names]
    .filter((name) => !bound.has(name))
    .map((name) =>
      wrong(
        roleFile,
        `nothing binds the role "${name}", so the operator lacks its permissions`,
        "name it as the roleRef of a binding, such as that of config/rbac/role_binding.yaml",
      ),
    );
}

/** Returns the names of roles in the roleRefs of a manifest. */
function boundRoles(file: string, text: string | undefined): unknown[] {
  return text?.includes("roleRef") ? readYaml(file, text).flatMap((value) => [...roleRefs(file, value)]) : [];
}

/** Yields the names in roleRefs of bindings and of kustomize's patches: merge patches, JSON patches, and either as a string. */
function* roleRefs(file: string, value: unknown): Generator {
  if (typeof value !== "object" || value === null) return;
  const { roleRef, path, value: patchedValue, patch } = value as Record<string, unknown>;
  for (const ref of [roleRef, path === "/roleRef" && patchedValue]) if (isObject(ref)) yield ref["name"];
  if (path === "/roleRef/name") yield patchedValue;
  if (typeof patch === "string") yield* boundRoles(file, patch);
  for (const child of Object.values(value)) yield* roleRefs(file, child);
}

/** Finds conflicts that an upgrade, or a merge by git, left in files that tsbuilder scaffolds. */
export function checkConflicts(tree: Tree): Finding[] {
  const texts = tree.list("").filter((path) => /\.(?:[cm]?ts|json|ya?ml|md)$/u.test(path));
  // Trees don't list hidden folders, but some of their files are scaffolded.
  const paths = new Set([...texts, ...OwnedFiles.read(tree).paths()]);
  return [...paths].sort().flatMap((path) => {
    const lines = (tree.read(path) ?? "").split(/\r?\n/u);
    return lines.flatMap((line, i) =>
      isConflictStart(line, lines.slice(i))
        ? [wrong(`${path}:${i + 1}`, "a conflict is not resolved", chooseLines)]
        : [],
    );
  });
}

/** Markdown may show a start marker alone, so the end is required, too. */
const isConflictStart = (line: string, rest: readonly string[]): boolean =>
  line.startsWith(`${conflictMarkers.start} `) &&
  rest.some((other) => other.startsWith(`${conflictMarkers.end} `));

const chooseLines = `choose the lines of one side or of both, and delete those with ${conflictMarkers.start}, ${conflictMarkers.middle} and ${conflictMarkers.end}`;
