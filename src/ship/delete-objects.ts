import { explainHanging } from "./hanging.ts";
import { type ClusterChoice, runKubectl } from "./kubectl.ts";
import { formatManifest, isDefinition, type ManifestObject } from "./manifest.ts";

/** How long a deletion is waited for. */
export interface DeleteOptions extends ClusterChoice {
  readonly seconds: number;
}

/**
 * Deletes objects, last first, and waits until they are gone. Definitions go before all else: their objects may have
 * finalizers, which nobody takes away once the operator is gone.
 */
export async function deleteObjects(
  objects: readonly ManifestObject[],
  options: DeleteOptions,
): Promise<string[]> {
  const others = objects.filter((object) => !isDefinition(object));
  return [
    ...(await remove(objects.filter(isDefinition), options)),
    ...(await remove(others.toReversed(), options)),
  ];
}

async function remove(objects: readonly ManifestObject[], options: DeleteOptions): Promise<string[]> {
  if (objects.length === 0) return [];
  const args = ["delete", "--ignore-not-found", "--timeout", `${options.seconds}s`, "--filename", "-"];
  try {
    const { stdout } = await runKubectl(options, args, formatManifest(objects));
    return stdout.split("\n").filter((line) => line !== "");
  } catch (error) {
    throw await explainHanging(error, objects, options);
  }
}
