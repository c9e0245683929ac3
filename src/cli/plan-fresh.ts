import { packageManagerOf } from "../project/package-manager.ts";
import type { Project } from "../project/project.ts";
import type { FileChange } from "../scaffold/file-change.ts";
import { ownedFile } from "../scaffold/ownership.ts";
import { memoryTree } from "../scaffold/tree.ts";
import type { VendorPackages } from "./host.ts";
import type { OpenProject } from "./open-project.ts";
import { scaffoldLock } from "./plan-lock.ts";
import { planProjectChange, readHeader } from "./plan-project.ts";

/**
 * All files that a project's description scaffolds into an empty folder, with the license header and formatter of an
 * existing project. Plugins are asked what they contribute, or what they contributed is read from the project's record.
 */
export async function planFresh(
  { root, tree }: OpenProject,
  project: Project,
  vendor: VendorPackages,
  plugins: "run" | "replay" = "run",
): Promise<readonly FileChange[]> {
  const boilerplate = readHeader(tree);
  const { changes } = await planProjectChange({
    folder: root,
    root,
    tree: memoryTree(),
    before: undefined,
    after: project,
    packages: vendor.packages,
    manager: packageManagerOf(root),
    extraFiles: scaffoldLock(root, project, vendor),
    existing: { tree, plugins },
    ...(boilerplate === undefined ? {} : { boilerplate }),
  });
  return changes.filter(({ path }) => path !== ownedFile);
}
