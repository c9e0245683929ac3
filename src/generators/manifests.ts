/**
 * The generators: from types and markers to CRDs, roles and webhook configurations. This file plans all files of
 * `tsbuilder manifests`: `sources` reads the project, then `crd`, `rbac` and `webhook` generate.
 */

import { posix } from "node:path";
import { type GeneratedCrd, generateCrdFiles } from "./crd/generate-crds.ts";
import type { GeneratedFile, ManifestsPlan, SourceTree } from "./model/files.ts";
import { emitFile } from "./model/emit.ts";
import { withLineEndsOf } from "../shared/text.ts";
import type { Marker } from "./markers/collect.ts";
import { type GeneratorName, type GeneratorOptions, projectOptions } from "./model/options.ts";
import { refuseTooDeep } from "./loader/parse-module.ts";
import type { GeneratorCache } from "./sources/cache.ts";
import { ProjectSources } from "./sources/project-sources.ts";
import { checkPermissions } from "./rbac/missing-permissions.ts";
import { addProvenance, generateRoles } from "./rbac/roles.ts";
import { type WebhookPackage, generateConfigurations } from "./webhook/configurations.ts";

/** The folder of each generator's files, unless the options name another. */
const defaultOutput: Readonly<Record<GeneratorName, string>> = {
  crd: "config/crd/bases",
  rbac: "config/rbac",
  webhook: "config/webhook",
};

/** Returns the folder of the CRDs. */
export function crdFolder(tree: SourceTree, overrides: GeneratorOptions): string {
  return { ...projectOptions(tree), ...overrides }.output?.crd ?? defaultOutput.crd;
}

/**
 * Plans `config/crd/bases`, `config/rbac/role.yaml` and `config/webhook/manifests.yaml`. `overrides` take precedence over
 * the options in `PROJECT`. Errors in the sources are in the plan, which then has no changes.
 */
export async function planManifests(
  tree: SourceTree,
  overrides: GeneratorOptions = {},
  cache?: GeneratorCache,
): Promise<ManifestsPlan> {
  const options = { ...projectOptions(tree), ...overrides };
  const sources = await ProjectSources.load(tree, options, cache);
  const folder = (name: GeneratorName): string => options.output?.[name] ?? defaultOutput[name];
  const runs = (name: GeneratorName): boolean => options.only?.includes(name) ?? true;
  const files = new Map<string, string>();
  if (runs("crd") && !sources.hasSyntaxErrors) {
    const { checkCrd } = await import("./crd/check-crd.ts");
    const check = (generated: GeneratedCrd): void => checkCrd(generated, sources.log);
    for (const { fileName, text } of refuseTooDeep("one of the kinds", () =>
      generateCrdFiles(sources, check),
    ))
      files.set(posix.join(folder("crd"), fileName), text);
  }
  if (runs("rbac")) {
    const markers = packageMarkers(sources, "kubebuilder:rbac");
    const roles = generateRoles(markers, options, sources.log);
    // With `paths`, other files may have the markers.
    if (!options.paths) checkPermissions(sources.markerModules, markers, tree, sources.log);
    const text = emitFile(
      roles.map(({ object }) => object),
      options,
    );
    const written = options.provenance ? addProvenance(text, roles) : text;
    if (roles.length > 0) files.set(posix.join(folder("rbac"), "role.yaml"), written);
  }
  if (runs("webhook")) {
    const configurations = generateConfigurations(webhookPackages(sources), options, sources.log);
    if (configurations.length > 0) {
      files.set(posix.join(folder("webhook"), "manifests.yaml"), emitFile(configurations, options));
    }
  }
  sources.checkMarkers();
  // With `paths`, the other CRDs may have kinds in folders that were not read.
  const stale = runs("crd") && !options.paths ? findStaleCrds(tree, folder("crd"), files) : [];
  if (stale.length > 0 && sources.apiModules.length === 0 && !tree.has("api")) {
    sources.log.error(
      undefined,
      `the folder "api" does not exist, and "${stale[0]}" is generated from a kind in it`,
      `restore the folder; if there are to be no kinds any more, delete the CRDs in ${folder("crd")}`,
    );
  }
  const changes = [...files]
    .filter(([path, content]) => !isUpToDate(tree.read(path), content))
    .map(([path, content]): GeneratedFile => ({ path, content }));
  const removals = options.prune ? stale.map((path): GeneratedFile => ({ path, content: undefined })) : [];
  return {
    changes: sources.log.hasErrors ? [] : [...changes, ...removals],
    stale,
    diagnostics: sources.log.sorted(),
  };
}

/** Returns whether a file has the generated content, with its own line ends. */
function isUpToDate(present: string | undefined, content: string): boolean {
  return present === content || (present !== undefined && present === withLineEndsOf(present, content));
}

function packageMarkers(sources: ProjectSources, name: string): Marker[] {
  return sources.markerModules
    .flatMap((module) => sources.markersOf(module).package)
    .filter((marker) => marker.name === name);
}

/** Groups webhook markers by folder: like a Go package, each may set the name of its configurations once. */
function webhookPackages(sources: ProjectSources): WebhookPackage[] {
  const folders = new Map<string, Marker[]>();
  for (const module of sources.markerModules) {
    const folder = posix.dirname(module.file);
    folders.set(folder, [...(folders.get(folder) ?? []), ...sources.markersOf(module).package]);
  }
  return [...folders.values()].map((markers) => ({
    webhooks: markers.filter(({ name }) => name === "kubebuilder:webhook"),
    configurations: markers.filter(({ name }) => name === "kubebuilder:webhookconfiguration"),
  }));
}

/** Finds the generated files in the CRD folder that no kind generates any more. */
function findStaleCrds(tree: SourceTree, folder: string, files: ReadonlyMap<string, string>): string[] {
  return tree.list(folder).filter((path) => {
    if (files.has(path) || posix.dirname(path) !== posix.normalize(folder)) return false;
    return (
      /_[a-z0-9-]+\.yaml$/u.test(path) && /^kind: CustomResourceDefinition$/mu.test(tree.read(path) ?? "")
    );
  });
}
