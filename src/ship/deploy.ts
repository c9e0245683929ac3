import { applyObjects, diffObjects, type ApplyOptions } from "./apply.ts";
import { describeObject, isDefinition, type ManifestObject, parseManifest } from "./manifest.ts";
import { checkKinds } from "./served-kinds.ts";
import { splitByNamespace } from "./split-by-namespace.ts";
import { type Overrides, renderConfig } from "./render.ts";

/** Renders what `install` applies: the definitions. */
export async function renderDefinitions(project: string): Promise<ManifestObject[]> {
  return parseManifest(await renderConfig(project, "crd")).filter(isDefinition);
}

/** Renders what `deploy` applies: the definitions, the operator and its permissions. */
export async function renderDeployment(project: string, overrides: Overrides): Promise<ManifestObject[]> {
  return parseManifest(await renderConfig(project, "default", overrides));
}

/** Renders the whole deployment as one manifest, for people who have no tsbuilder. */
export function renderInstaller(project: string, overrides: Overrides): Promise<string> {
  return renderConfig(project, "default", overrides);
}

/** Applies objects, or tells what applying them would change. */
export async function applyOrDiff(
  objects: readonly ManifestObject[],
  options: ApplyOptions & { readonly diff?: boolean | undefined },
): Promise<string[]> {
  await checkKinds(objects, options);
  if (!options.diff && !options.dryRun) return applyObjects(objects, options);
  const { checkable, homeless } = await splitByNamespace(objects, options);
  const answered = options.diff
    ? (await diffObjects(checkable, options)).split("\n").filter((line) => line !== "")
    : await applyObjects(checkable, options);
  const created = homeless.map((object) => `${describeObject(object)} would be created, with its namespace`);
  return answered.length + created.length > 0 ? [...answered, ...created] : ["nothing would change"];
}
