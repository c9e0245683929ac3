import { explainStuck } from "./stuck-objects.ts";
import { type ClusterChoice, runKubectl } from "./kubectl.ts";
import { formatManifest, isCrd, type ManifestObject } from "./manifest.ts";

/** How long to wait for a deletion. */
export interface DeleteOptions extends ClusterChoice {
  readonly seconds: number;
}

/**
 * Deletes objects in reverse order, and waits until they are gone. CRDs are deleted first: their objects may have
 * finalizers, which nobody removes once the operator is gone.
 */
export async function deleteObjects(
  objects: readonly ManifestObject[],
  options: DeleteOptions,
): Promise<string[]> {
  const others = objects.filter((object) => !isCrd(object));
  return [...(await remove(objects.filter(isCrd), options)), ...(await remove(others.toReversed(), options))];
}

async function remove(objects: readonly ManifestObject[], options: DeleteOptions): Promise<string[]> {
  if (objects.length === 0) return [];
  const args = ["delete", "--ignore-not-found", "--timeout", `${options.seconds}s`, "--filename", "-"];
  try {
    const { stdout } = await runKubectl(options, args, formatManifest(objects));
    return stdout.split("\n").filter((line) => line !== "");
  } catch (error) {
    throw await explainStuck(error, objects, options);
  }
}
