// The parts and inserts of a kind and its webhooks in the operator's program; `init.ts` has those of every project. The
// names in generated code are at the end.

import { apiVersionOf } from "@tsbuilder/apimachinery/meta";
import { pascalCase } from "@tsbuilder/apimachinery/text";
import type { ControllerRecord, Project, Resource } from "../../project/project.ts";
import {
  apiFolder,
  clusterRoleName,
  controllerFolder,
  groupFolder,
  importPath,
  isDefaultControllerName,
  isSameKind,
  kindFile,
  needsClusterRole,
  qualifiedGroup,
  sampleFile,
  webhookFolder,
} from "../../project/project.ts";
import type { Blueprint, Insert } from "../../scaffold/blueprint.ts";
import { emptyBlueprint, joinBlueprints, part } from "../../scaffold/blueprint.ts";
import { type ScaffoldInputs, partKeys } from "../contract/plugin.ts";
import { ownedKindsContext } from "./owned-kinds.ts";
import { referenceTemplates } from "./reference-templates.ts";

/** Returns the types of a kind, its controllers, which the entry point registers, and the test that explores them. */
export function createApi(project: Project, resource: Resource, inputs: ScaffoldInputs): Blueprint {
  if (resource.template) return referenceOperator(project, resource, inputs);
  return joinBlueprints(
    resource.origin.type === "own" ? types(project, resource, inputs) : foreignTypes(resource),
    ...resource.controllers.map((record) => controller(project, resource, record, inputs)),
    exploreTest(project, resource, inputs),
  );
}

/** A test that explores the first controller of an own kind; the MySQL template has its own, with valid values. */
function exploreTest(project: Project, resource: Resource, inputs: ScaffoldInputs): Blueprint {
  const [first] = resource.controllers;
  if (!first || resource.origin.type !== "own" || resource.template?.name === "mysql") return emptyBlueprint;
  const context = controllerContext(project, resource, first.name, inputs);
  const { header, controllerFolder, controllerFile, className, kind, typesImport } = context;
  const exploreContext = { header, controllerFolder, controllerFile, className, kind, typesImport };
  return part(partKeys.explore(resource), "typescript/create-api/explore-test", exploreContext);
}

/** Lists the types from a third-party CRD, to be deleted with their last use; a package is npm's to remove. */
function foreignTypes({ origin }: Resource): Blueprint {
  const path =
    origin.type === "external" && origin.module.startsWith("./") ? origin.module.slice(2) : undefined;
  if (path === undefined) return emptyBlueprint;
  const groupVersionInfo = `${path.slice(0, path.lastIndexOf("/"))}/groupversion_info.ts`;
  return { ...emptyBlueprint, generated: [path, groupVersionInfo] };
}

function types(project: Project, resource: Resource, inputs: ScaffoldInputs): Blueprint {
  const context = typesContext(project, resource, inputs);
  return joinBlueprints(
    groupVersion(project, resource, inputs),
    part(partKeys.types(resource), "typescript/create-api/types", context),
  );
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
  return part(key, "typescript/create-api/group-version", context);
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

const lineWidth = 100;

/** The statement that defines the kind's value, formatted as the formatter would. */
function kindDefinition({ kind, plural, namespaced }: Resource): string {
  const members = [`kind: "${kind}"`, `plural: "${plural}"`, ...(namespaced ? [] : ['scope: "Cluster"'])];
  const start = `export const ${kind} = defineKind<${kind}>(groupVersion, {`;
  const oneLine = `${start} ${members.join(", ")} });`;
  if (oneLine.length <= lineWidth) return oneLine;
  return `${start}\n${members.map((member) => `  ${member},\n`).join("")}});`;
}

/** Returns whether a version is the storage version: the first one, so that adding another changes no file. */
function isFirstVersion({ resources }: Project, resource: Resource): boolean {
  const own = resources.filter((other) => other.origin.type === "own" && isSameKind(other, resource));
  return own.length === 0 || own[0]!.version === resource.version;
}

function controller(
  project: Project,
  resource: Resource,
  { name, owns = [] }: ControllerRecord,
  inputs: ScaffoldInputs,
): Blueprint {
  const isOwn = resource.origin.type === "own";
  const context = {
    ...controllerContext(project, resource, name, inputs),
    keyType: resource.namespaced ? "NamespacedName" : "ClusterScopedName",
  };
  const testKey = resource.namespaced ? 'name: "test", namespace: "default"' : 'name: "test"';
  const ownContext = { ...context, testKey };
  const { namespaced } = resource;
  const [templates, templateContext] = !isOwn
    ? ["foreign-controller", context]
    : owns.length === 0
      ? ["controller", ownContext]
      : [
          "owning-controller",
          {
            ...ownContext,
            kindLower: kindFile(resource),
            ...ownedKindsContext(owns, { ...context, namespaced }),
          },
        ];
  return joinBlueprints(
    {
      ...part(partKeys.controller(resource, name), `typescript/create-api/${templates}`, templateContext),
      inserts: controllerInserts(project, resource, name),
    },
    isOwn ? emptyBlueprint : foreignControllerTest(resource, name, context),
  );
}

/** What is known of a controller of another project. */
interface ImportedController {
  /** Where its Reconcile function is: file and line. */
  readonly place: string;
  /** The markers of its permissions. */
  readonly markers: readonly string[];
  /** The imports of the kinds that it owns. */
  readonly imports: readonly string[];
  readonly owns: readonly string[];
  /** Sentences about what has no counterpart, such as objects that it watches by a function of its own. */
  readonly remarks: readonly string[];
}

/** A controller whose logic is still in another project. */
export function importedController(
  project: Project,
  resource: Resource,
  name: string,
  inputs: ScaffoldInputs,
  { place, markers, imports, owns, remarks }: ImportedController,
): Blueprint {
  const context = controllerContext(project, resource, name, inputs);
  const { header, controllerFolder, controllerFile, className, kind, controllerName, variable, typesImport } =
    context;
  const testContext = { header, controllerFolder, controllerFile, className, kind };
  const templates = "typescript/create-api/imported-controller";
  return joinBlueprints(
    part(partKeys.controller(resource, name), templates, {
      ...testContext,
      controllerName,
      variable,
      typesImport,
      keyType: resource.namespaced ? "NamespacedName" : "ClusterScopedName",
      place,
      markers: markers.map((marker) => `// ${marker}`).join("\n"),
      imports: imports.map((line) => `${line}\n`).join(""),
      owns: owns.map((owned) => `.owns(${owned})`).join(""),
      remarks: remarks.map((remark) => `  // ${remark}\n`).join(""),
    }),
    resource.origin.type === "own"
      ? part(partKeys.controllerTest(resource, name), `${templates}-test`, testContext)
      : emptyBlueprint,
  );
}

/** Tests that a controller of a foreign kind starts: only the user knows a valid object of that kind. */
function foreignControllerTest(
  resource: Resource,
  name: string,
  context: ReturnType<typeof controllerContext>,
): Blueprint {
  const { header, controllerFolder, controllerFile, className, kind, plural } = context;
  const testContext = { header, controllerFolder, controllerFile, className, kind };
  const key = partKeys.controllerTest(resource, name);
  if (resource.origin.type === "core")
    return part(key, "typescript/create-api/core-controller-test", testContext);
  return part(key, "typescript/create-api/external-controller-test", {
    ...testContext,
    plural,
    qualifiedGroup: qualifiedGroup(resource),
    version: resource.version,
    scope: resource.namespaced ? "Namespaced" : "Cluster",
  });
}

const eventsMarker = "// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch";

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

/** A complete operator instead of the skeletons: types, controller, tests and samples from one folder of templates. */
function referenceOperator(project: Project, resource: Resource, inputs: ScaffoldInputs): Blueprint {
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
      ...part(partKeys.template(resource), `typescript/template/${name}`, context),
      inserts: controllerInserts(project, resource, controllerName),
    },
    exploreTest(project, resource, inputs),
    // Additional controllers of the kind are skeletons.
    ...resource.controllers.slice(1).map((other) => controller(project, resource, other, inputs)),
  );
}

function controllerInserts(project: Project, resource: Resource, name: string): Insert[] {
  const file = controllerFile(project, resource, name);
  return registrationInserts(project, resource, file, `${className(resource, name)}Controller`);
}

/** The file of a controller. */
export function controllerFile(project: Project, resource: Resource, name: string): string {
  return `${controllerFolder(project, resource)}/${controllerFileName(resource, name)}_controller.ts`;
}

/** The first controller's file is named after the kind, others after themselves: `mysql-backup` in `mysql_backup`. */
function controllerFileName(resource: Resource, name: string): string {
  if (isDefaultControllerName(resource, name)) return kindFile(resource);
  return name.replaceAll("-", "_");
}

/** The markers that the webhooks of a kind have in another project, instead of those of a new one. */
interface ImportedWebhooks {
  readonly defaulter?: string | undefined;
  readonly validator?: string | undefined;
}

/**
 * Returns a file for each type of webhook, so that adding another one does not touch the user's code. Of a kind whose types come
 * from another project no fields are known.
 */
export function createWebhook(
  project: Project,
  resource: Resource,
  inputs: ScaffoldInputs,
  imported?: ImportedWebhooks,
): Blueprint {
  const { defaulting, validation, spokes = [] } = resource.webhooks;
  return joinBlueprints(
    ...(defaulting ? [admission(project, resource, inputs, "defaulter", imported)] : []),
    ...(validation ? [admission(project, resource, inputs, "validator", imported)] : []),
    ...spokes.map((version) => conversion(project, resource, version, inputs, imported !== undefined)),
  );
}

/** The differences between a defaulter, which is a mutating webhook, and a validator. */
const roles = {
  defaulter: { verb: "mutate", letter: "m", suffix: "Defaulter", path: "defaultingPath" },
  validator: { verb: "validate", letter: "v", suffix: "Validator", path: "validationPath" },
} as const;

function admission(
  project: Project,
  resource: Resource,
  { boilerplate }: ScaffoldInputs,
  role: keyof typeof roles,
  imported?: ImportedWebhooks,
): Blueprint {
  const { verb, letter, suffix, path: pathKey } = roles[role];
  const { kind, plural, version, webhooks } = resource;
  const group = qualifiedGroup(resource);
  const kindLower = kindFile(resource);
  const folder = webhookFolder(project, resource);
  const file = `${folder}/${kindLower}_${role}.ts`;
  const customPath = webhooks[pathKey];
  const path = customPath ?? `/${verb}-${group.replaceAll(".", "-")}-${version}-${kindLower}`;
  // A webhook's name needs at least three parts; kind, version and group make it unique.
  const name = `${letter}${kindLower}.${version}.${group === "" ? "core" : group}`;
  const ownMarker =
    `+kubebuilder:webhook:path=${path},mutating=${role === "defaulter"},failurePolicy=fail,sideEffects=None,` +
    `groups=${group === "" ? '""' : group},resources=${plural},verbs=create;update,versions=${version},name=${name},` +
    "admissionReviewVersions=v1";
  const commonContext = {
    header: fileHeader(boilerplate),
    webhookFolder: folder,
    kindLower,
    kind,
    variable: variableName(kind),
    typesImport: typesModule(project, resource, file),
  };
  const context = {
    ...commonContext,
    path,
    pathOption: customPath === undefined ? "" : `, { path: "${customPath}" }`,
    marker: imported?.[role] ?? ownMarker,
  };
  return joinBlueprints(
    {
      ...part(partKeys.webhook(resource, role), `typescript/create-webhook/${role}`, context),
      inserts: registrationInserts(project, resource, file, `${kind}${suffix}`),
    },
    part(partKeys.webhookTest(resource, role), `typescript/create-webhook/${role}-test`, {
      ...commonContext,
      testObject: testObject(resource, imported !== undefined),
    }),
  );
}

/** Returns the object that a webhook is tested with. Only a skeleton is known to have no required fields. */
function testObject(resource: Resource, isImported: boolean): string {
  const { kind, version, origin, template } = resource;
  const fields = [
    `  apiVersion: "${apiVersionOf({ group: qualifiedGroup(resource), version })}",`,
    `  kind: "${kind}",`,
    `  metadata: { name: "test" },`,
  ];
  const name = variableName(kind);
  return origin.type === "own" && !template && !isImported
    ? [`const ${name}: ${kind} = {`, ...fields, "  spec: {},", "};"].join("\n")
    : [`const ${name} = {`, ...fields, `} as ${kind};`].join("\n");
}

function conversion(
  project: Project,
  hub: Resource,
  spokeVersion: string,
  { boilerplate }: ScaffoldInputs,
  isImported: boolean,
): Blueprint {
  const spoke = project.resources.find((other) => isSameKind(other, hub) && other.version === spokeVersion);
  if (!spoke) return emptyBlueprint;
  const folder = webhookFolder(project, spoke);
  const file = `${folder}/${kindFile(hub)}_conversion.ts`;
  const context = {
    header: fileHeader(boilerplate),
    webhookFolder: folder,
    kindLower: kindFile(hub),
    kind: hub.kind,
    version: spokeVersion,
    hubVersion: hub.version,
    typesImport: typesModule(project, spoke, file),
    hubImport: typesModule(project, hub, file),
  };
  // The versions of a new kind have equal fields; those of an imported one differ until the conversion is moved, too.
  const casts = {
    toHub: isImported ? ` as unknown as ConvertedObject<${hub.kind}Hub>` : "",
    fromHub: isImported ? ` as unknown as ConvertedObject<${hub.kind}>` : "",
  };
  const skip = isImported ? ".skip" : "";
  return joinBlueprints(
    {
      ...part(partKeys.webhook(spoke, "conversion"), "typescript/create-webhook/conversion", {
        ...context,
        ...casts,
      }),
      inserts: registrationInserts(project, spoke, file, `${hub.kind}Conversion`),
    },
    part(partKeys.webhookTest(spoke, "conversion"), "typescript/create-webhook/conversion-test", {
      ...context,
      skip,
    }),
  );
}

/** Returns the license header of a source file with an empty line below it; empty without a license. */
export function fileHeader(boilerplate: string): string {
  return boilerplate === "" ? "" : `${boilerplate}\n\n`;
}

/** Returns the import specifier of a kind's types, relative to a file in the project. */
export function typesModule(project: Project, resource: Resource, file: string): string {
  const { origin } = resource;
  switch (origin.type) {
    case "own":
      return importPath(file, `${apiFolder(project, resource)}/${kindFile(resource)}_types.ts`);
    case "core":
      return coreModule(resource);
    case "external":
      return origin.module.startsWith("./") ? importPath(file, origin.module.slice(2)) : origin.module;
  }
}

/** The runtime module with the types of a built-in group: the group's first segment, and the version. */
function coreModule(resource: Pick<Resource, "group" | "domain" | "version">): string {
  const group = qualifiedGroup(resource).split(".")[0];
  return `@tsbuilder/runtime/k8s/${group === "" ? "core" : group}/${resource.version}`;
}

/** Returns the prefix of a controller's class name: the kind, unless the controller has its own name. */
function className(resource: Resource, controllerName: string): string {
  if (isDefaultControllerName(resource, controllerName)) return resource.kind;
  return controllerName
    .split("-")
    .map((word) => (word === kindFile(resource) ? resource.kind : capitalize(word)))
    .join("");
}

const capitalize = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

/** Reserved words, and names that the scaffolded functions already use; those that return children end with `For`. */
const keywords = new Set(
  (
    "await break case catch class const continue debugger default delete do else enum export extends false finally for " +
    "function if implements import in instanceof interface let new null package private protected public return static " +
    "super switch this throw true try typeof var void while with yield async of eval arguments undefined " +
    "log request context events manager cluster client created object expect test eventually key draft " +
    "children ready conditions reason message labels name nameOf labelsOf setCondition findCondition isConditionTrue " +
    "beforeAll afterAll startTestManager startTestCluster groupVersion structuredClone admissionContext checkRoundTrips " +
    "toHub fromHub podProblem pausedStatus consistently"
  ).split(" "),
);

/**
 * Converts a kind to a variable name: `firstMate` for FirstMate, `httpRoute` for HTTPRoute, and `mysql` for MySQL,
 * where consecutive capitals do not start a word. An underscore is appended to reserved words.
 */
function variableName(kind: string): string {
  const start = /^(?:[A-Z0-9]+(?=[A-Z][a-z])|[A-Z]+(?![a-z])|[A-Z])/u.exec(kind)?.[0] ?? "";
  const camelCase = start.toLowerCase() + kind.slice(start.length);
  const name = /[A-Z]{2}/u.test(camelCase) ? camelCase.toLowerCase() : camelCase;
  return keywords.has(name) || name.endsWith("For") ? `${name}_` : name;
}

const main = "src/main.ts";

/**
 * Returns the import and the call that register a controller or webhook in the entry point: `setupMySQLController` and
 * the like. If several groups or versions have the same kind, the import gets a unique name, so that the user's file
 * stays unchanged.
 */
function registrationInserts(project: Project, resource: Resource, file: string, name: string): Insert[] {
  const group = project.multigroup ? pascalCase(groupFolder(resource)) : "";
  const version = isFirstEntry(project, resource) ? "" : pascalCase(resource.version);
  const setup = `setup${name}`;
  const local = `setup${group}${version}${name}`;
  const names = local === setup ? setup : `${setup} as ${local}`;
  return [
    { file: main, marker: "imports", text: `import { ${names} } from "${importPath(main, file)}";` },
    { file: main, marker: "setup", text: `${local}(manager);` },
  ];
}

function isFirstEntry({ resources }: Project, resource: Resource): boolean {
  return resources.find((other) => isSameKind(other, resource))?.version === resource.version;
}
