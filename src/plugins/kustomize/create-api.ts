import { configPrefix, groupFolder, kindFile } from "../../project/paths.ts";
import { type Project, qualifiedGroup, type Resource } from "../../project/project.ts";
import type { Blueprint } from "../../scaffold/blueprint.ts";
import { line } from "./kustomization-lines.ts";

/** A kind's definition, its sample, and roles for people; kinds of others have theirs elsewhere. */
export function createApi(project: Project, resource: Resource): Blueprint {
  if (resource.origin.type !== "own") return { parts: [], inserts: [], generated: [] };
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

function sampleFile(resource: Resource): string {
  return `${groupFolder(resource)}_${resource.version}_${kindFile(resource)}`;
}
