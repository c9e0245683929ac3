import { type ClusterChoice, readJson } from "./kubectl.ts";
import type { ManifestObject } from "./manifest.ts";

/** Objects that the cluster can validate in a dry run, and those it cannot. */
export interface SplitObjects {
  readonly checkable: readonly ManifestObject[];
  /** Objects in a namespace that does not exist yet. */
  readonly unchecked: readonly ManifestObject[];
}

/**
 * Separates objects in namespaces that do not exist yet. A dry run creates no namespace, so the server responds with
 * 404 to a dry run of anything in it.
 */
export async function splitByNamespace(
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
