import { applyObjects, deleteObjects, diffObjects, type ApplyOptions } from "./apply.ts";
import { type ClusterChoice, readJson } from "./kubectl.ts";
import { describeObject, isDefinition, type ManifestObject, parseManifest } from "./manifest.ts";
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
  if (!options.diff && !options.dryRun) return applyObjects(objects, options);
  const { checkable, homeless } = await splitByNamespace(objects, options);
  const answered = options.diff
    ? (await diffObjects(checkable, options)).split("\n").filter((line) => line !== "")
    : await applyObjects(checkable, options);
  const created = homeless.map((object) => `${describeObject(object)} would be created, with its namespace`);
  return answered.length + created.length > 0 ? [...answered, ...created] : ["nothing would change"];
}

/** What an undeploy would take away, and what it would leave because people's data hang on it. */
export interface UndeployPlan {
  readonly remove: readonly ManifestObject[];
  /** Definitions of which objects are left in the cluster: deleting one deletes all its objects. */
  readonly keep: readonly { readonly definition: ManifestObject; readonly objects: number }[];
}

/** Finds out what an undeploy takes away; definitions that still have objects stay unless `force`. */
export async function planUndeploy(
  objects: readonly ManifestObject[],
  choice: ClusterChoice,
  { force = false }: { force?: boolean | undefined } = {},
): Promise<UndeployPlan> {
  const counted = await Promise.all(
    objects.filter(isDefinition).map(async (definition) => ({
      definition,
      objects: await countObjects(definition, choice),
    })),
  );
  const keep = force ? [] : counted.filter(({ objects }) => objects > 0);
  const kept = new Set(keep.map(({ definition }) => definition));
  return { remove: objects.filter((object) => !kept.has(object)), keep };
}

/** Takes away what was planned. */
export function undeploy(plan: UndeployPlan, options: ApplyOptions): Promise<string[]> {
  return deleteObjects(plan.remove, options);
}

async function countObjects(definition: ManifestObject, choice: ClusterChoice): Promise<number> {
  const { name } = definition.metadata;
  const present = await readJson(choice, ["get", "customresourcedefinition", name]);
  if (!present) return 0;
  const list = await readJson<{ items: unknown[] }>(choice, ["get", name, "--all-namespaces"]);
  return list?.items.length ?? 0;
}
