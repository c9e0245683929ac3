import { existsSync } from "node:fs";
import { join } from "node:path";
import { type ApplyOptions, applyObjects, diffObjects } from "./apply.ts";
import { type ManifestObject, describeObject, isCrd, parseManifest } from "./manifest.ts";
import { checkKinds } from "./served-kinds.ts";
import { type Overrides, renderConfig } from "./render.ts";
import { type ClusterChoice, readJson } from "./kubectl.ts";

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

/** Objects that the cluster can validate in a dry run, and those it cannot. */
interface SplitObjects {
  readonly checkable: readonly ManifestObject[];
  /** Objects in a namespace that does not exist yet. */
  readonly unchecked: readonly ManifestObject[];
}

/**
 * Separates objects in namespaces that do not exist yet. A dry run creates no namespace, so the server responds with
 * 404 to a dry run of anything in it.
 */
async function splitByNamespace(
  objects: readonly ManifestObject[],
  choice: ClusterChoice,
): Promise<SplitObjects> {
  const namespaces = objects.filter(({ kind }) => kind === "Namespace").map(({ metadata }) => metadata.name);
  const found = await Promise.all(namespaces.map((name) => readJson(choice, ["get", "namespace", name])));
  const missing = new Set(namespaces.filter((_, index) => found[index] === undefined));
  const isUnchecked = ({ metadata }: ManifestObject): boolean =>
    metadata.namespace !== undefined && missing.has(metadata.namespace);
  return {
    checkable: objects.filter((object) => !isUnchecked(object)),
    unchecked: objects.filter(isUnchecked),
  };
}
