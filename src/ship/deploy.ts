import { existsSync } from "node:fs";
import { join } from "node:path";
import { applyObjects, diffObjects, type ApplyOptions } from "./apply.ts";
import { describeObject, isCrd, type ManifestObject, parseManifest } from "./manifest.ts";
import { checkKinds } from "./served-kinds.ts";
import { splitByNamespace } from "./split-by-namespace.ts";
import { type Overrides, renderConfig } from "./render.ts";

/** Renders what `install` applies: the CRDs. */
export async function renderCrds(project: string): Promise<ManifestObject[]> {
  return parseManifest(await renderConfig(project, "crd")).filter(isCrd);
}

/** Renders what `deploy` applies: the CRDs, the operator and its RBAC. */
export async function renderDeployment(project: string, overrides: Overrides): Promise<ManifestObject[]> {
  return parseManifest(await renderConfig(project, "default", overrides));
}

/** Renders the sample objects; none if the project has no samples. */
export async function renderSamples(project: string): Promise<ManifestObject[]> {
  const path = "samples";
  if (!existsSync(join(project, "config", path, "kustomization.yaml"))) return [];
  return parseManifest(await renderConfig(project, path));
}

/** Renders the whole deployment as one manifest, for users without tsbuilder. */
export function renderInstaller(project: string, overrides: Overrides): Promise<string> {
  return renderConfig(project, "default", overrides);
}

/** Applies objects, or returns what applying them would change. */
export async function applyOrDiff(
  objects: readonly ManifestObject[],
  options: ApplyOptions & { readonly diff?: boolean | undefined },
): Promise<string[]> {
  await checkKinds(objects, options);
  if (!options.diff && !options.dryRun) return applyObjects(objects, options);
  const { checkable, unchecked } = await splitByNamespace(objects, options);
  const answered = options.diff
    ? (await diffObjects(checkable, options)).split("\n").filter((line) => line !== "")
    : await applyObjects(checkable, options);
  const created = unchecked.map(
    (object) => `${describeObject(object)} would be created, as well as its namespace`,
  );
  return answered.length + created.length > 0 ? [...answered, ...created] : ["nothing would change"];
}
