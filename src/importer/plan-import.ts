// Begin here. Imports a kubebuilder project in Go: `readGoProject` describes it as a project of tsbuilder, from which `init`, `create api`
// and `create webhook` follow as ever; this file adds the parts that come from Go: types, markers, samples. Nothing of the Go project
// is run, and nothing outside of its folder and of Go's module cache is read.

import { join } from "node:path";
import { stringify } from "yaml";
import type { Diagnostic } from "../generators/model/diagnostic.ts";
import { planManifests } from "../generators/manifests.ts";
import { loadCoreSchemas } from "../generators/schema/built-in-types.ts";
import { partKeys, type ScaffoldInputs } from "../plugins/contract/plugin.ts";
import {
  controllerFile,
  createWebhook,
  fileHeader,
  importedController,
  typesModule,
} from "../plugins/typescript/create-api.ts";
import {
  apiFolder,
  hasWebhooks,
  isSameResource,
  kindFile,
  type Project,
  type Resource,
} from "../project/project.ts";
import { type Blueprint, emptyBlueprint, joinBlueprints } from "../scaffold/blueprint.ts";
import type { Draft } from "../scaffold/tree.ts";
import { blockCommentText } from "../shared/source-text.ts";
import { findKind } from "@tsbuilder/apimachinery/kinds";
import { compareManifests, type ManifestComparison } from "./compare-manifests.ts";
import type { GoPackage, GoType } from "./go/model.ts";
import { readSource } from "./go/modules.ts";
import type { GoKind } from "./go/operator-sources.ts";
import { importConfig } from "./import-config.ts";
import {
  boilerplateOf,
  type GoProject,
  type ImportedController,
  readGoProject,
  sharedFolder,
} from "./read-go-project.ts";
import { projectFile } from "../project/store.ts";
import { builtInType } from "./types/built-in-types.ts";
import { removeRefusedMarkers, withoutPlaceholders } from "./types/kind-markers.ts";
import { isWritable } from "./types/write-comments.ts";
import { translateTypes } from "./types/write-module.ts";

/** A Go project as the content of a new project. */
export interface ImportPlan {
  readonly project: Project;
  /** The license header. */
  readonly boilerplate: string;
  /** The parts that come from Go, for `planProjectChange`. */
  readonly content: (inputs: ScaffoldInputs) => Blueprint;
  /** Generates manifests in the draft of the new project, and compares them. */
  readonly generate: (draft: Draft) => Promise<string[]>;
  /** What was found, once `generate` has run. */
  readonly report: () => ImportReport;
}

export interface ImportReport {
  /** What has no counterpart, with its place in the Go project. */
  readonly leftOut: readonly string[];
  /** What the generators refuse, with its place in the new project. Without it there are no generated manifests. */
  readonly errors: readonly string[];
  readonly comparison: ManifestComparison | undefined;
}

/** Plans the import of the Go project in a folder. Throws if it is none. */
export async function planImport(
  root: string,
  options: { readonly cliVersion: string; readonly projectName?: string | undefined },
): Promise<ImportPlan> {
  const read = await readWithKubernetes(root, options);
  const { project, packages } = read;
  const generator = generatorOptions(root);
  const config = importConfig(root, project);
  const leftOut = [...read.notes, ...config.notes];
  const errors: string[] = [];
  let comparison: ManifestComparison | undefined;
  return {
    project,
    boilerplate: boilerplateOf(root),
    content: (inputs) =>
      joinBlueprints(
        types(read, inputs),
        ...read.controllers.map((each) => controller(read, each, inputs, leftOut)),
        ...project.resources.filter(hasWebhooks).map((resource) => webhooks(read, resource, inputs)),
        otherMarkers(read, inputs, leftOut),
        config.blueprint,
      ),
    generate: async (draft) => {
      const { removed, findings } = await generate(draft, generator);
      leftOut.push(...removed.map((marker) => `a marker that controller-gen ignores is left out: ${marker}`));
      const serious = findings.filter(({ severity }) => severity === "error");
      errors.push(...serious.map(({ at, message }) => (at ? `${at.file}:${at.line}: ${message}` : message)));
      if (errors.length === 0) comparison = compareManifests(root, (path) => draft.read(path), packages);
      return [];
    },
    report: () => ({ leftOut, errors, comparison }),
  };
}

/** Generates into a draft, without the markers that only our generators refuse. */
async function generate(
  draft: Draft,
  options: Readonly<Record<string, unknown>>,
): Promise<{ removed: string[]; findings: readonly Diagnostic[] }> {
  const removed: string[] = [];
  const touched = new Set<string>();
  // All commands that generate read the options there.
  if (Object.keys(options).length > 0)
    draft.write(
      projectFile,
      `${draft.read(projectFile) ?? ""}${stringify({ manifests: options })}`,
      "generated",
    );
  for (;;) {
    const { changes, diagnostics } = await planManifests(draft, { prune: true });
    const files: Record<string, string> = {};
    for (const { at } of diagnostics)
      if (at && /^(?:api|src\/types)\//u.test(at.file)) files[at.file] = draft.read(at.file) ?? "";
    const more = removeRefusedMarkers(files, diagnostics);
    if (more.length === 0) {
      for (const { path, content } of changes)
        if (content === undefined) draft.remove(path);
        else draft.write(path, content, "generated");
      for (const path of touched) draft.write(path, withoutPlaceholders(draft.read(path) ?? ""));
      return { removed, findings: diagnostics };
    }
    removed.push(...more);
    for (const [path, text] of Object.entries(files)) {
      touched.add(path);
      draft.write(path, text);
    }
  }
}

/** Reads a project; structs of Kubernetes that TypeScript lacks are read from Go's module cache. */
async function readWithKubernetes(
  root: string,
  options: { readonly cliVersion: string; readonly projectName?: string | undefined },
): Promise<GoProject> {
  const missing = new Set<string>();
  for (;;) {
    const read = readGoProject(root, { ...options, missing });
    const used = [...externalTypes(read.packages)].flatMap(({ package: path, name }) => {
      const found = builtInType(path, name);
      return found?.module.includes("/k8s/") ? [{ ...found, id: `${path}.${name}` }] : [];
    });
    const schemas = await loadCoreSchemas(new Set(used.map(({ module }) => module)), {});
    const lacking = used.filter(
      ({ module, name, id }) => !missing.has(id) && schemas(module, name) === undefined,
    );
    if (lacking.length === 0) return read;
    for (const { id } of lacking) missing.add(id);
  }
}

function* externalTypes(
  packages: readonly GoPackage[],
): Generator<Extract<GoType, { kind: "ref" | "external" }>> {
  const within = function* (type: GoType): Generator<Extract<GoType, { kind: "ref" | "external" }>> {
    if (type.kind === "external") yield type;
    else if (type.kind === "list") yield* within(type.of);
    else if (type.kind === "map") yield* within(type.of);
    else if (type.kind === "struct") for (const { type: of } of type.fields) yield* within(of);
  };
  for (const { types: declared } of packages) for (const { type } of declared) yield* within(type);
}

/** The options that the Makefile gives to controller-gen, as far as they change what is generated. */
function generatorOptions(root: string): Record<string, unknown> {
  const makefile = readSource(join(root, "Makefile")) ?? "";
  const crd = [...makefile.matchAll(/\bcrd:([\w=,"{};]+)/gu)].map(([, options]) => options!).join(",");
  const length = /\bmaxDescLen=(\d+)/u.exec(crd)?.[1];
  return {
    ...(/\bgenerateEmbeddedObjectMeta=true/u.test(crd) && { generateEmbeddedObjectMeta: true }),
    ...(/\ballowDangerousTypes=true/u.test(crd) && { allowDangerousTypes: true }),
    ...(length !== undefined && { maxDescLen: Number(length) }),
  };
}

/** Each kind's module replaces that of a new kind; all others stand beside it. */
function types(
  { project, packages, ownPackages, foreignPackages, modulePath }: GoProject,
  inputs: ScaffoldInputs,
): Blueprint {
  const folderOf = (path: string): string => {
    const own = ownPackages.get(path);
    return own ? apiFolder(project, own) : (foreignPackages.get(path) ?? sharedFolder(path, modulePath));
  };
  const modules = translateTypes(packages, {
    folderOf,
    roots: [...ownPackages.keys(), ...foreignPackages.keys()],
    hasGroupVersion: (path) => ownPackages.has(path),
  });
  const header = fileHeader(inputs.boilerplate);
  const keyOf = (path: string): string => {
    const own = project.resources.find(
      (each) =>
        each.origin.type === "own" && path === `${apiFolder(project, each)}/${kindFile(each)}_types.ts`,
    );
    return own ? partKeys.types(own) : `import/${path}`;
  };
  const parts = [...modules].map(([path, text]) => ({
    key: keyOf(path),
    files: [{ template: path, path, content: `${header}${text}` }],
  }));
  return { ...emptyBlueprint, parts };
}

function controller(
  read: GoProject,
  imported: ImportedController,
  inputs: ScaffoldInputs,
  leftOut: string[],
): Blueprint {
  const { project } = read;
  const { resource, name, source, markers } = imported;
  const place = source === undefined ? "the Go project" : blockCommentText(`${source.file}:${source.line}`);
  const file = controllerFile(project, resource, name);
  const owned = (source?.owns ?? []).map((kind) => ({ kind, module: moduleOf(read, kind, file) }));
  const known = owned.filter(({ kind, module }) => module !== undefined && kind.name !== resource.kind);
  const remarks = [
    ...owned
      .filter((each) => !known.includes(each))
      .map(({ kind }) => `In Go it owns ${kind.name} of ${kind.path}.`),
    ...(source?.watches ?? []).map(
      (kind) => `In Go it watches ${kind.name} of ${kind.path}: add .watches() with a function that maps it.`,
    ),
  ].filter(isWritable);
  leftOut.push(...remarks.map((remark) => `${place}: ${remark}`));
  return importedController(project, resource, name, inputs, {
    place,
    markers: markers.map(({ text }) => text).filter(isWritable),
    imports: known.map(({ kind, module }) => `import { ${kind.name} } from ${JSON.stringify(module)};`),
    owns: known.map(({ kind }) => kind.name),
    remarks,
  });
}

/** The module with a kind's value; undefined if the new project has none. */
function moduleOf(
  { project, ownPackages }: GoProject,
  { path, name }: GoKind,
  from: string,
): string | undefined {
  const own = ownPackages.get(path);
  const resource = own && project.resources.find((each) => isSameResource(each, { ...own, kind: name }));
  if (resource) return typesModule(project, resource, from);
  const [, group, version] = /^k8s\.io\/api\/([a-z]+)\/(v\w+)$/u.exec(path) ?? [];
  if (group === undefined || version === undefined) return undefined;
  const groups = [group === "core" ? "" : group, `${group}.k8s.io`, `${group}.authorization.k8s.io`];
  const isKnown = groups.some((each) => findKind({ group: each, version }, name) !== undefined);
  return isKnown ? `@tsbuilder/runtime/k8s/${group}/${version}` : undefined;
}

function webhooks(
  { project, webhookMarkers }: GoProject,
  resource: Resource,
  inputs: ScaffoldInputs,
): Blueprint {
  const markerOf = (role: "defaulter" | "validator"): string | undefined =>
    webhookMarkers.find((each) => each.role === role && isSameResource(each.resource, resource))?.marker.text;
  return createWebhook(project, resource, inputs, {
    defaulter: markerOf("defaulter"),
    validator: markerOf("validator"),
  });
}

/** Markers whose code has no counterpart: the role and the webhook configurations need them all the same. */
function otherMarkers(
  { otherMarkers: markers }: GoProject,
  { boilerplate }: ScaffoldInputs,
  leftOut: string[],
): Blueprint {
  const written = markers.filter(({ text }) => isWritable(text));
  if (written.length === 0) return emptyBlueprint;
  const path = "src/imported_markers.ts";
  for (const { file, line, text } of written)
    if (text.startsWith("+kubebuilder:webhook:"))
      leftOut.push(`${file}:${line}: no code serves this webhook; its marker is in ${path}`);
  const lines = written.map(({ file, line, text }) => `// ${blockCommentText(file)}:${line}\n// ${text}\n`);
  const content = `${fileHeader(boilerplate)}// Markers of Go files whose code has no counterpart here: move each to the code that needs it.\n\n${lines.join("\n")}\nexport {};\n`;
  return {
    ...emptyBlueprint,
    parts: [{ key: "import/markers", files: [{ template: path, path, content }] }],
  };
}
