import { isDefaultControllerName } from "../../project/controller-name.ts";
import { apiFolder, controllerFolder, importPath, kindFile } from "../../project/paths.ts";
import { type Project, qualifiedGroup, type Resource } from "../../project/project.ts";
import {
  type Blueprint,
  type Insert,
  joinBlueprints,
  type TemplateContext,
} from "../../scaffold/blueprint.ts";
import type { Surroundings } from "../plugin.ts";
import { fileHeader } from "./file-header.ts";
import { className, variableName } from "./identifiers.ts";
import { kindDefinition, kindMarkers } from "./kind-text.ts";

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
  const setup = `setup${typeName}Controller`;
  return {
    parts: [
      {
        key: `typescript/controller/${identity(resource)}/${name}`,
        templates: "typescript/create-api/controller",
        context: {
          header: fileHeader(boilerplate),
          controllerFolder: controllerFolder(project, resource),
          controllerFile: fileName,
          controllerName: name,
          className: typeName,
          variable: variableName(resource.kind),
          kind: resource.kind,
          plural: resource.plural,
          qualifiedGroup: qualifiedGroup(resource),
          typesImport: importPath(file, `${apiFolder(project, resource)}/${kindFile(resource)}_types.ts`),
          crdFolder: "config/crd/bases",
          testMetadata: resource.namespaced ? `name: "test", namespace: "default"` : `name: "test"`,
        },
      },
    ],
    inserts: wireIn(setup, file),
    generated: [],
  };
}

/** The first controller's file is named after the kind, another one's after itself: `mysql-backup` in `mysql_backup`. */
function controllerFileName(resource: Resource, name: string): string {
  if (isDefaultControllerName(resource, name)) return kindFile(resource);
  return name.replaceAll("-", "_");
}

/** The two lines that bring something into the program. */
export function wireIn(setup: string, file: string): Insert[] {
  const main = "src/main.ts";
  return [
    { file: main, marker: "imports", text: `import { ${setup} } from "${importPath(main, file)}";` },
    { file: main, marker: "setup", text: `${setup}(manager);` },
  ];
}

/** Names a kind in one version, wherever its files are. */
export function identity(resource: Resource): string {
  return `${qualifiedGroup(resource)}/${resource.version}/${resource.kind}`;
}
