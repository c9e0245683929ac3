import { isDefaultControllerName } from "../../project/controller-name.ts";
import { apiFolder, controllerFolder, kindFile } from "../../project/paths.ts";
import { type Project, qualifiedGroup, type Resource } from "../../project/project.ts";
import { type Blueprint, joinBlueprints } from "../../scaffold/blueprint.ts";
import type { Surroundings } from "../plugin.ts";
import { fileHeader } from "./file-header.ts";
import { className, variableName } from "./identifiers.ts";
import { identity } from "./identity.ts";
import { kindDefinition, kindMarkers } from "./kind-text.ts";
import { typesModule } from "./types-module.ts";
import { wireIn } from "./wire-in.ts";

/** The types of a kind and its controllers, wired into the program. */
export function createApi(project: Project, resource: Resource, surroundings: Surroundings): Blueprint {
  return joinBlueprints(
    resource.origin.type === "own" ? types(project, resource, surroundings) : empty,
    ...resource.controllers.map(({ name }) => controller(project, resource, name, surroundings)),
  );
}

const empty: Blueprint = { parts: [], inserts: [], generated: [] };

function types(project: Project, resource: Resource, { boilerplate }: Surroundings): Blueprint {
  const folder = apiFolder(project, resource);
  const group = qualifiedGroup(resource);
  const header = fileHeader(boilerplate);
  return {
    parts: [
      {
        key: `typescript/group-version/${group}/${resource.version}`,
        templates: "typescript/create-api/group-version",
        context: { header, apiFolder: folder, qualifiedGroup: group, version: resource.version },
      },
      {
        key: `typescript/types/${identity(resource)}`,
        templates: "typescript/create-api/types",
        context: {
          header,
          apiFolder: folder,
          kindLower: kindFile(resource),
          kind: resource.kind,
          plural: resource.plural,
          markers: kindMarkers(project, resource),
          definition: kindDefinition(resource),
        },
      },
    ],
    inserts: [],
    generated: [],
  };
}

function controller(
  project: Project,
  resource: Resource,
  name: string,
  { boilerplate }: Surroundings,
): Blueprint {
  const fileName = controllerFileName(resource, name);
  const file = `${controllerFolder(project, resource)}/${fileName}_controller.ts`;
  const typeName = className(resource, name);
  const group = qualifiedGroup(resource);
  const isOwn = resource.origin.type === "own";
  const context = {
    header: fileHeader(boilerplate),
    controllerFolder: controllerFolder(project, resource),
    controllerFile: fileName,
    controllerName: name,
    className: typeName,
    variable: variableName(resource.kind),
    kind: resource.kind,
    plural: resource.plural,
    markerGroup: group === "" ? '""' : group,
    typesImport: typesModule(project, resource, file),
  };
  const testKey = resource.namespaced ? 'name: "test", namespace: "default"' : 'name: "test"';
  return {
    parts: [
      {
        key: `typescript/controller/${identity(resource)}/${name}`,
        templates: `typescript/create-api/${isOwn ? "controller" : "foreign-controller"}`,
        context: isOwn ? { ...context, testKey } : context,
      },
    ],
    inserts: wireIn(project, resource, file, `${typeName}Controller`),
    generated: [],
  };
}

/** The first controller's file is named after the kind, another one's after itself: `mysql-backup` in `mysql_backup`. */
function controllerFileName(resource: Resource, name: string): string {
  if (isDefaultControllerName(resource, name)) return kindFile(resource);
  return name.replaceAll("-", "_");
}
