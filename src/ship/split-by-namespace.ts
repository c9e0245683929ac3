import { type ClusterChoice, readJson } from "./kubectl.ts";
import type { ManifestObject } from "./manifest.ts";

/** Objects that a cluster can look at before anything is written, and those it can't. */
export interface SplitObjects {
  readonly checkable: readonly ManifestObject[];
  /** Objects in a namespace that only comes with them. */
  readonly homeless: readonly ManifestObject[];
}

/**
 * Sets apart what is in namespaces that don't exist yet.
 * A dry run writes no namespace, so the server answers 404 to a dry run of anything in it.
 */
export async function splitByNamespace(
  objects: readonly ManifestObject[],
  choice: ClusterChoice,
): Promise<SplitObjects> {
  const brought = objects.filter(({ kind }) => kind === "Namespace").map(({ metadata }) => metadata.name);
  const found = await Promise.all(brought.map((name) => readJson(choice, ["get", "namespace", name])));
  const missing = new Set(brought.filter((_, index) => found[index] === undefined));
  const isHomeless = ({ metadata }: ManifestObject): boolean =>
    metadata.namespace !== undefined && missing.has(metadata.namespace);
  return {
    checkable: objects.filter((object) => !isHomeless(object)),
    homeless: objects.filter(isHomeless),
  };
}
