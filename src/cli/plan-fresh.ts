import type { Project } from "../project/project.ts";
import type { FileChange } from "../scaffold/file-change.ts";
import { ownedFile } from "../scaffold/ownership.ts";
import { memoryTree } from "../scaffold/tree.ts";
import type { VendorPackages } from "./host.ts";
import type { OpenProject } from "./open-project.ts";
import { planProjectChange, readHeader } from "./plan-project.ts";

/**
 * All files that a project's description scaffolds into an empty folder, with the license header and formatter of an
 * existing project.
 */
export async function planFresh(
  { root, tree }: OpenProject,
  project: Project,
  { packages }: VendorPackages,
): Promise<readonly FileChange[]> {
  const boilerplate = readHeader(tree);
  const { changes } = await planProjectChange({
    root,
    tree: memoryTree(),
    before: undefined,
    after: project,
    packages,
    ...(boilerplate === undefined ? {} : { boilerplate }),
  });
  return changes.filter(({ path }) => path !== ownedFile);
}
