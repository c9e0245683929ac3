import { qualifiedGroup, type Resource } from "./project.ts";

/**
 * The built-in API groups of Kubernetes: their short names, with the domain that completes them. Groups without a
 * domain here have none in Kubernetes either; the group of Pods and Services has an empty name, and is called `core`.
 */
const coreGroups: Readonly<Record<string, string>> = {
  core: "",
  apps: "",
  autoscaling: "",
  batch: "",
  policy: "",
  admissionregistration: "k8s.io",
  apiextensions: "k8s.io",
  apiregistration: "k8s.io",
  authentication: "k8s.io",
  authorization: "k8s.io",
  certificates: "k8s.io",
  coordination: "k8s.io",
  discovery: "k8s.io",
  events: "k8s.io",
  "flowcontrol.apiserver": "k8s.io",
  "internal.apiserver": "k8s.io",
  networking: "k8s.io",
  node: "k8s.io",
  "rbac.authorization": "k8s.io",
  resource: "k8s.io",
  scheduling: "k8s.io",
  storage: "k8s.io",
  storagemigration: "k8s.io",
};

export const coreGroupNames = Object.keys(coreGroups);

/** The group and domain of a built-in group, from its short (`networking`) or full name (`networking.k8s.io`). */
export function findCoreGroup(typed: string): { group: string; domain: string } | undefined {
  const group = typed.replace(/\.k8s\.io$/u, "");
  const domain = coreGroups[group];
  if (domain === undefined || (typed !== group && domain === "")) return undefined;
  return { group: group === "core" ? "" : group, domain };
}

/** The runtime module with the types of a built-in group: the group's first segment, and the version. */
export function coreModule(resource: Pick<Resource, "group" | "domain" | "version">): string {
  const group = qualifiedGroup(resource).split(".")[0];
  return `@tsbuilder/runtime/k8s/${group === "" ? "core" : group}/${resource.version}`;
}
