import type { Project, Resource } from "./project.ts";

/** The folder of the API types. */
export function apiFolder(project: Pick<Project, "multigroup">, resource: Resource): string {
  return project.multigroup ? `api/${groupFolder(resource)}/${resource.version}` : `api/${resource.version}`;
}

/** The folder of the kind's controllers. */
export function controllerFolder(project: Pick<Project, "multigroup">, resource: Resource): string {
  return project.multigroup ? `src/controller/${groupFolder(resource)}` : "src/controller";
}

/** The folder of the webhooks of one version. */
export function webhookFolder(project: Pick<Project, "multigroup">, resource: Resource): string {
  return project.multigroup
    ? `src/webhook/${groupFolder(resource)}/${resource.version}`
    : `src/webhook/${resource.version}`;
}

/** The folder of a kind without a group is named after the domain. */
export function groupFolder({ group, domain }: Pick<Resource, "group" | "domain">): string {
  if (group !== "") return group;
  return domain === "" ? "core" : domain;
}

/** The kind in names of files. */
export function kindFile({ kind }: Pick<Resource, "kind">): string {
  return kind.toLowerCase();
}

/** The prefix of file names in `config/`; with several groups it includes the group. */
export function configPrefix(project: Pick<Project, "multigroup">, resource: Resource): string {
  return project.multigroup ? `${groupFolder(resource)}_` : "";
}

/** The file name of a kind's sample in `config/samples`, without its extension. */
export function sampleFile(resource: Resource): string {
  return `${groupFolder(resource)}_${resource.version}_${kindFile(resource)}`;
}

/** Returns the specifier that imports one module of the project from another: relative, with forward slashes. */
export function importPath(fromFile: string, toFile: string): string {
  const from = fromFile.split("/").slice(0, -1);
  const to = toFile.split("/");
  let shared = 0;
  while (shared < from.length && shared < to.length - 1 && from[shared] === to[shared]) shared++;
  const up = from.slice(shared).map(() => "..");
  const path = [...up, ...to.slice(shared)].join("/");
  return up.length === 0 ? `./${path}` : path;
}

/** The name of a kind's first controller; with several groups it includes the group. */
export function defaultControllerName(
  { multigroup }: Pick<Project, "multigroup">,
  resource: Resource,
): string {
  return multigroup ? groupedName(resource) : kindFile(resource);
}

/** Returns whether a controller has its kind's default name, in either layout. */
export function isDefaultControllerName(resource: Resource, name: string): boolean {
  return name === kindFile(resource) || name === groupedName(resource);
}

function groupedName(resource: Resource): string {
  const group = resource.group.replaceAll(/[^a-z0-9]+/gu, "-");
  return group === "" ? kindFile(resource) : `${group}-${kindFile(resource)}`;
}

/**
 * The ClusterRole of a namespaced operator, beside its Role: it has the permissions on cluster-scoped kinds, which a
 * Role can't give.
 */
export const clusterRoleName = "manager-cluster-role";

/** Returns whether the permissions on a kind belong into the operator's ClusterRole. */
export function needsClusterRole(project: Project, resource: Resource): boolean {
  return project.namespaced && !resource.namespaced;
}
