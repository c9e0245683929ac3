// The exports of `tsbuilder/generators`. They only plan: callers write the files, with `tsbuilder/scaffold` or without.

import type { ManifestsPlan, SourceTree } from "./model/files.ts";
import type { GeneratorOptions } from "./model/options.ts";

export type { Diagnostic } from "./model/diagnostic.ts";
export type { GeneratedFile, ManifestsPlan } from "./model/files.ts";
export type { GeneratorName, GeneratorOptions } from "./model/options.ts";
export type { SourceTree } from "./model/files.ts";

/** Generates CRDs, roles and webhook configurations from types and markers, as `tsbuilder manifests` does. */
export async function generateManifests(
  tree: SourceTree,
  options: GeneratorOptions = {},
): Promise<ManifestsPlan> {
  const { planManifests } = await import("./manifests.ts");
  return planManifests(tree, options);
}

/** Generates an API reference in Markdown into a folder, as `tsbuilder generate docs` does. */
export async function generateReference(
  tree: SourceTree,
  options: GeneratorOptions = {},
  folder = "docs/api",
): Promise<ManifestsPlan> {
  const { planDocs } = await import("./docs/api-reference.ts");
  return planDocs(tree, options, folder);
}
