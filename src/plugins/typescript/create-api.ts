// The operator's program as parts and inserts: for a project (`init.ts`), a kind (here) and its webhooks. `names.ts`
// has the names in generated code.

import {
  apiFolder,
  clusterRoleName,
  controllerFolder,
  isDefaultControllerName,
  kindFile,
  needsClusterRole,
  sampleFile,
} from "../../project/names.ts";
import { type Project, type Resource, isSameKind, qualifiedGroup } from "../../project/project.ts";
import { type Blueprint, type Part, emptyBlueprint, joinBlueprints } from "../../scaffold/blueprint.ts";
import { type ScaffoldInputs, partKeys } from "../contract/plugin.ts";
import { className, fileHeader, typesModule, variableName, wireIn } from "./names.ts";
import { referenceTemplates } from "./reference-templates.ts";

/** The types of a kind and its controllers, registered in the operator's entry point. */
export function createApi(project: Project, resource: Resource, inputs: ScaffoldInputs): Blueprint {
  if (resource.template) return reference(project, resource, inputs);
  return joinBlueprints(
    resource.origin.type === "own" ? types(project, resource, inputs) : foreignTypes(resource),
    ...resource.controllers.map(({ name }) => controller(project, resource, name, inputs)),
    exploring(project, resource, inputs),
  );
}

/** A test that explores the first controller of an own kind; the MySQL template brings one, which knows its values. */
function exploring(project: Project, resource: Resource, inputs: ScaffoldInputs): Blueprint {
  const [first] = resource.controllers;
  if (!first || resource.origin.type !== "own" || resource.template?.name === "mysql") return emptyBlueprint;
  const { header, controllerFolder, controllerFile, className, kind, typesImport } = controllerContext(
    project,
    resource,
    first.name,
    inputs,
  );
  return {
    parts: [
      {
        key: partKeys.explore(resource),
        templates: "typescript/create-api/explore-test",
        context: { header, controllerFolder, controllerFile, className, kind, typesImport },
      },
    ],
    inserts: [],
    generated: [],
  };
}

/**
 * Lists the types generated from a third-party CRD, so that they are deleted with their last use. A package is npm's to
 * remove.
 */
function foreignTypes({ origin }: Resource): Blueprint {
  const path =
    origin.type === "external" && origin.module.startsWith("./") ? origin.module.slice(2) : undefined;
  if (path === undefined) return emptyBlueprint;
  const groupVersionInfo = `${path.slice(0, path.lastIndexOf("/"))}/groupversion_info.ts`;
  return { parts: [], inserts: [], generated: [path, groupVersionInfo] };
}

function types(project: Project, resource: Resource, inputs: ScaffoldInputs): Blueprint {
  return joinBlueprints(groupVersion(project, resource, inputs), {
    parts: [
      {
        key: partKeys.types(resource),
        templates: "typescript/create-api/types",
        context: typesContext(project, resource, inputs),
      },
    ],
    inserts: [],
    generated: [],
  });
}

function groupVersion(project: Project, resource: Resource, { boilerplate }: ScaffoldInputs): Blueprint {
  const group = qualifiedGroup(resource);
  const context = {
    header: fileHeader(boilerplate),
    apiFolder: apiFolder(project, resource),
    qualifiedGroup: group,
    version: resource.version,
  };
  const key = `typescript/group-version/${group}/${resource.version}`;
  return {
    parts: [{ key, templates: "typescript/create-api/group-version", context }],
    inserts: [],
    generated: [],
  };
}

function typesContext(project: Project, resource: Resource, { boilerplate }: ScaffoldInputs) {
  return {
    header: fileHeader(boilerplate),
    apiFolder: apiFolder(project, resource),
    kindLower: kindFile(resource),
    kind: resource.kind,
    markers: kindMarkers(project, resource),
    definition: kindDefinition(resource),
  };
}

/** The markers above a kind, as lines of its comment. */
function kindMarkers(project: Project, resource: Resource): string {
  const markers = ["+kubebuilder:subresource:status"];
  if (isFirstVersion(project, resource)) markers.push("+kubebuilder:storageversion");
  const names = [
    ...(resource.shortNames.length > 0 ? [`shortName=${resource.shortNames.join(";")}`] : []),
    ...(resource.categories.length > 0 ? [`categories=${resource.categories.join(";")}`] : []),
    ...(resource.singular === undefined ? [] : [`singular=${resource.singular}`]),
  ];
  if (names.length > 0) markers.push(`+kubebuilder:resource:${names.join(",")}`);
  markers.push(
    '+kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`',
    '+kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`',
  );
  return markers.map((marker) => ` * ${marker}`).join("\n");
}

/** The statement that defines the kind's value, formatted as the formatter would. */
function kindDefinition({ kind, plural, namespaced }: Resource): string {
  const members = [`kind: "${kind}"`, `plural: "${plural}"`, ...(namespaced ? [] : ['scope: "Cluster"'])];
  const start = `export const ${kind} = defineKind<${kind}>(groupVersion, {`;
  const oneLine = `${start} ${members.join(", ")} });`;
  if (oneLine.length <= lineWidth) return oneLine;
  return `${start}\n${members.map((member) => `  ${member},\n`).join("")}});`;
}

const lineWidth = 100;

/**
 * Exactly one version of a kind is the storage version. Even a single version is marked, so that adding another one
 * does not change a file of the user's.
 */
function isFirstVersion({ resources }: Project, resource: Resource): boolean {
  const own = resources.filter((other) => other.origin.type === "own" && isSameKind(other, resource));
  return own.length === 0 || own[0]!.version === resource.version;
}

function controller(project: Project, resource: Resource, name: string, inputs: ScaffoldInputs): Blueprint {
  const isOwn = resource.origin.type === "own";
  const context = controllerContext(project, resource, name, inputs);
  const testKey = resource.namespaced ? 'name: "test", namespace: "default"' : 'name: "test"';
  return {
    parts: [
      {
        key: partKeys.controller(resource, name),
        templates: `typescript/create-api/${isOwn ? "controller" : "foreign-controller"}`,
        context: isOwn ? { ...context, testKey } : context,
      },
      ...(isOwn ? [] : [foreignControllerTest(resource, name, context)]),
    ],
    inserts: wireIn(
      project,
      resource,
      controllerFile(project, resource, name),
      `${context.className}Controller`,
    ),
    generated: [],
  };
}

/** Tests that a controller of a foreign kind starts: only the user knows a valid object of that kind. */
function foreignControllerTest(
  resource: Resource,
  name: string,
  context: ReturnType<typeof controllerContext>,
): Part {
  const { header, controllerFolder, controllerFile, className, kind, plural } = context;
  const isCore = resource.origin.type === "core";
  const shared = { header, controllerFolder, controllerFile, className, kind };
  return {
    key: partKeys.controllerTest(resource, name),
    templates: `typescript/create-api/${isCore ? "core" : "external"}-controller-test`,
    context: isCore
      ? shared
      : {
          ...shared,
          plural,
          qualifiedGroup: qualifiedGroup(resource),
          version: resource.version,
          scope: resource.namespaced ? "Namespaced" : "Cluster",
        },
  };
}

function controllerContext(
  project: Project,
  resource: Resource,
  name: string,
  { boilerplate }: ScaffoldInputs,
) {
  const group = qualifiedGroup(resource);
  const ofClusterRole = needsClusterRole(project, resource) ? `,roleName=${clusterRoleName}` : "";
  return {
    header: fileHeader(boilerplate),
    controllerFolder: controllerFolder(project, resource),
    controllerFile: controllerFileName(resource, name),
    controllerName: name,
    className: className(resource, name),
    variable: variableName(resource.kind),
    kind: resource.kind,
    plural: resource.plural,
    markerGroup: group === "" ? '""' : group,
    ofClusterRole,
    // Events about cluster-scoped objects are in another namespace than those about the objects beside the operator.
    clusterEventsMarker: ofClusterRole === "" ? "" : `${eventsMarker}${ofClusterRole}\n`,
    typesImport: typesModule(project, resource, controllerFile(project, resource, name)),
  };
}

const eventsMarker = "// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch";

/** A complete operator instead of the skeletons: types, controller, tests and samples from one folder of templates. */
function reference(project: Project, resource: Resource, inputs: ScaffoldInputs): Blueprint {
  const { name, options } = resource.template!;
  const controllerName = resource.controllers[0]!.name;
  const context = {
    ...typesContext(project, resource, inputs),
    ...controllerContext(project, resource, controllerName, inputs),
    ...(referenceTemplates.find((known) => known.name === name)?.words?.(options) ?? options),
    projectName: project.projectName,
    version: resource.version,
    qualifiedGroup: qualifiedGroup(resource),
    apiVersion: `${qualifiedGroup(resource)}/${resource.version}`,
    sampleFile: sampleFile(resource),
  };
  return joinBlueprints(
    groupVersion(project, resource, inputs),
    {
      parts: [
        {
          key: partKeys.template(resource),
          templates: `typescript/template/${name}`,
          context,
        },
      ],
      inserts: wireIn(
        project,
        resource,
        controllerFile(project, resource, controllerName),
        `${context.className}Controller`,
      ),
      generated: [],
    },
    exploring(project, resource, inputs),
    // Additional controllers of the kind are skeletons.
    ...resource.controllers.slice(1).map((other) => controller(project, resource, other.name, inputs)),
  );
}

function controllerFile(project: Project, resource: Resource, name: string): string {
  return `${controllerFolder(project, resource)}/${controllerFileName(resource, name)}_controller.ts`;
}

/** The first controller's file is named after the kind, others after themselves: `mysql-backup` in `mysql_backup`. */
function controllerFileName(resource: Resource, name: string): string {
  if (isDefaultControllerName(resource, name)) return kindFile(resource);
  return name.replaceAll("-", "_");
}
