import { apiVersionOf } from "@tsbuilder/apimachinery/meta";
import { kindFile, webhookFolder } from "../../project/names.ts";
import { isSameKind, type Project, qualifiedGroup, type Resource } from "../../project/project.ts";
import { type Blueprint, emptyBlueprint, joinBlueprints } from "../../scaffold/blueprint.ts";
import { type ScaffoldInputs, partKeys } from "../contract/plugin.ts";
import { fileHeader, typesModule, variableName, wireIn } from "./names.ts";

/** One file for each type of webhook, so that adding another one does not touch the user's code. */
export function createWebhook(project: Project, resource: Resource, inputs: ScaffoldInputs): Blueprint {
  const { defaulting, validation, spokes = [] } = resource.webhooks;
  return joinBlueprints(
    ...(defaulting ? [admission(project, resource, inputs, "defaulter")] : []),
    ...(validation ? [admission(project, resource, inputs, "validator")] : []),
    ...spokes.map((version) => conversion(project, resource, version, inputs)),
  );
}

/** The differences between a defaulter and a validator. */
const roles = {
  defaulter: { verb: "mutate", letter: "m", className: "Defaulter", path: "defaultingPath" },
  validator: { verb: "validate", letter: "v", className: "Validator", path: "validationPath" },
} as const;

function admission(
  project: Project,
  resource: Resource,
  { boilerplate }: ScaffoldInputs,
  role: keyof typeof roles,
): Blueprint {
  const { verb, letter, className, path: pathKey } = roles[role];
  const { kind, plural, version, webhooks } = resource;
  const group = qualifiedGroup(resource);
  const kindLower = kindFile(resource);
  const folder = webhookFolder(project, resource);
  const file = `${folder}/${kindLower}_${role}.ts`;
  const ownPath = webhooks[pathKey];
  const shared = {
    header: fileHeader(boilerplate),
    webhookFolder: folder,
    kindLower,
    kind,
    variable: variableName(kind),
    typesImport: typesModule(project, resource, file),
  };
  const part = {
    key: partKeys.webhook(resource, role),
    templates: `typescript/create-webhook/${role}`,
    context: {
      ...shared,
      plural,
      version,
      path: ownPath ?? `/${verb}-${group.replaceAll(".", "-")}-${version}-${kindLower}`,
      pathOption: ownPath === undefined ? "" : `, { path: "${ownPath}" }`,
      markerGroup: group === "" ? '""' : group,
      // A webhook's name needs at least three parts; kind, version and group make it unique.
      webhookName: `${letter}${kindLower}.${version}.${group === "" ? "core" : group}`,
    },
  };
  const test = {
    key: partKeys.webhookTest(resource, role),
    templates: `typescript/create-webhook/${role}-test`,
    context: { ...shared, testObject: testObject(resource) },
  };
  return {
    parts: [part, test],
    inserts: wireIn(project, resource, file, `${kind}${className}`),
    generated: [],
  };
}

/** Returns the object that a webhook is tested with. Required fields are only known for the project's own kinds. */
function testObject(resource: Resource): string {
  const { kind, version, origin } = resource;
  const fields = [
    `  apiVersion: "${apiVersionOf({ group: qualifiedGroup(resource), version })}",`,
    `  kind: "${kind}",`,
    `  metadata: { name: "test" },`,
  ];
  const name = variableName(kind);
  return origin.type === "own"
    ? [`const ${name}: ${kind} = {`, ...fields, "  spec: {},", "};"].join("\n")
    : [`const ${name} = {`, ...fields, `} as ${kind};`].join("\n");
}

function conversion(
  project: Project,
  hub: Resource,
  spokeVersion: string,
  { boilerplate }: ScaffoldInputs,
): Blueprint {
  const spoke = project.resources.find((other) => isSameKind(other, hub) && other.version === spokeVersion);
  if (!spoke) return emptyBlueprint;
  const folder = webhookFolder(project, spoke);
  const file = `${folder}/${kindFile(hub)}_conversion.ts`;
  const group = qualifiedGroup(hub);
  const shared = {
    header: fileHeader(boilerplate),
    webhookFolder: folder,
    kindLower: kindFile(hub),
    kind: hub.kind,
    version: spokeVersion,
    hubVersion: hub.version,
    typesImport: typesModule(project, spoke, file),
  };
  return {
    parts: [
      {
        key: partKeys.webhook(spoke, "conversion"),
        templates: "typescript/create-webhook/conversion",
        context: { ...shared, hubImport: typesModule(project, hub, file) },
      },
      {
        key: partKeys.webhookTest(spoke, "conversion"),
        templates: "typescript/create-webhook/conversion-test",
        context: {
          ...shared,
          variable: variableName(hub.kind),
          apiVersion: `${group}/${spokeVersion}`,
        },
      },
    ],
    inserts: wireIn(project, spoke, file, `${hub.kind}Conversion`),
    generated: [],
  };
}
