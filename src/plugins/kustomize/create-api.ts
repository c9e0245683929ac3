import { configPrefix, groupFolder, kindFile } from "../../project/paths.ts";
import { type Project, qualifiedGroup, type Resource } from "../../project/project.ts";
import { type Blueprint, joinBlueprints } from "../../scaffold/blueprint.ts";
import { line } from "./kustomization-lines.ts";

/** A kind's definition, sample and roles for people; with a controller, the operator's own role. */
export function createApi(project: Project, resource: Resource): Blueprint {
  return joinBlueprints(
    resource.origin.type === "own" ? definition(project, resource) : empty,
    resource.controllers.length > 0 ? managerRole(project) : empty,
  );
}

const empty: Blueprint = { parts: [], inserts: [], generated: [] };

function definition(project: Project, resource: Resource): Blueprint {
  const { projectName } = project;
  const { version, kind, plural } = resource;
  const group = qualifiedGroup(resource);
  const base = `${group}_${plural}.yaml`;
  const roles = `${configPrefix(project, resource)}${kindFile(resource)}`;
  const sample = sampleFile(resource);
  return {
    parts: [
      { key: "kustomize/crd", templates: "kustomize/create-api/crd-base", context: {} },
      { key: "kustomize/samples", templates: "kustomize/create-api/samples-base", context: {} },
      {
        key: `kustomize/sample/${group}/${version}/${kind}`,
        templates: "kustomize/create-api/sample",
        context: {
          projectName,
          sampleFile: sample,
          apiVersion: `${group}/${version}`,
          kind,
          kindLower: kindFile(resource),
        },
      },
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
        },
      },
    ],
    inserts: [
      line("base", "resources", "../crd"),
      line("crd", "crds", `bases/${base}`),
      line("samples", "samples", `${sample}.yaml`),
      ...["admin", "editor", "viewer"].map((role) => line("rbac", "resources", `${roles}_${role}_role.yaml`)),
    ],
    generated: [`config/crd/bases/${base}`],
  };
}

/** The role itself is generated from the markers above the reconcilers. */
function managerRole({ projectName }: Project): Blueprint {
  return {
    parts: [
      {
        key: "kustomize/manager-role",
        templates: "kustomize/create-api/manager-role",
        context: { projectName },
      },
    ],
    inserts: [line("rbac", "resources", "role.yaml"), line("rbac", "resources", "role_binding.yaml")],
    generated: ["config/rbac/role.yaml"],
  };
}

function sampleFile(resource: Resource): string {
  return `${groupFolder(resource)}_${resource.version}_${kindFile(resource)}`;
}
