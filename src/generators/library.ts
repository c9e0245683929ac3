import type { ManifestsPlan } from "./manifests-plan.ts";
import type { GeneratorOptions } from "./options.ts";
import type { SourceTree } from "./source-tree.ts";

/** What `tsbuilder/generators` exports. It only plans: writing is up to the caller, with `tsbuilder/scaffold` or without. */
export type { Diagnostic } from "./diagnostic.ts";
export type { GeneratedFile, ManifestsPlan } from "./manifests-plan.ts";
export type { GeneratorName, GeneratorOptions } from "./options.ts";
export type { SourceTree } from "./source-tree.ts";

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
