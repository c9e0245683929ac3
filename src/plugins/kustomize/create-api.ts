import { configPrefix, groupFolder, kindFile, needsClusterRole, sampleFile } from "../../project/names.ts";
import { type Project, qualifiedGroup, type Resource } from "../../project/project.ts";
import { type Blueprint, type Part, emptyBlueprint } from "../../scaffold/blueprint.ts";
import { partKeys } from "../contract/plugin.ts";
import { line } from "./features.ts";

/** A kind's CRD, its sample, and roles for users; external kinds have theirs elsewhere. */
export function createApi(project: Project, resource: Resource): Blueprint {
  if (resource.origin.type !== "own") return emptyBlueprint;
  const { projectName } = project;
  const { kind, plural } = resource;
  const group = qualifiedGroup(resource);
  const base = `${group}_${plural}.yaml`;
  const roles = `${configPrefix(project, resource)}${kindFile(resource)}`;
  return {
    parts: [
      { key: "kustomize/crd", templates: "kustomize/create-api/crd-base", context: {} },
      { key: "kustomize/samples", templates: "kustomize/create-api/samples-base", context: {} },
      ...(resource.template ? [] : [sample(project, resource)]),
      {
        key: `kustomize/roles/${group}/${kind}`,
        templates: "kustomize/create-api/kind-roles",
        context: {
          projectName,
          configPrefix: configPrefix(project, resource),
          rolePrefix: project.multigroup ? `${groupFolder(resource).replaceAll(".", "-")}-` : "",
          kindLower: kindFile(resource),
          plural,
          qualifiedGroup: group,
          // kustomize turns a namespaced operator's roles for people into Roles, except for ClusterRoles with this
          // label.
          scopeLabel: needsClusterRole(project, resource) ? "\n    tsbuilder.dev/scope: Cluster" : "",
        },
      },
    ],
    inserts: [
      line("base", "resources", "../crd"),
      line("crd", "crds", `bases/${base}`),
      line("samples", "samples", `${sampleFile(resource)}.yaml`),
      ...["admin", "editor", "viewer"].map((role) => line("rbac", "resources", `${roles}_${role}_role.yaml`)),
    ],
    generated: [`config/crd/bases/${base}`],
  };
}

/** A reference operator has its own sample. */
function sample({ projectName }: Project, resource: Resource): Part {
  const { version, kind } = resource;
  const group = qualifiedGroup(resource);
  return {
    key: partKeys.sample(resource),
    templates: "kustomize/create-api/sample",
    context: {
      projectName,
      sampleFile: sampleFile(resource),
      apiVersion: `${group}/${version}`,
      kind,
      kindLower: kindFile(resource),
    },
  };
}
