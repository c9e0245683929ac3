import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { FileChange } from "../scaffold/file-change.ts";
import { type ManifestObject, parseManifest } from "./manifest.ts";
import { inProject, type Overrides, renderConfig } from "./render.ts";
import { withTemporaryFolder } from "./temporary-folder.ts";

/** Renders one of the project's kustomizations with changes that are not written to the project. */
export async function renderChanged(
  project: string,
  path: string,
  changes: readonly FileChange[],
  overrides: Overrides,
): Promise<ManifestObject[]> {
  return withTemporaryFolder("tsbuilder-changed-", async (copy) => {
    cpSync(join(project, "config"), join(copy, "config"), { recursive: true });
    for (const change of changes) {
      if (!change.path.startsWith("config/")) continue;
      const { content } = change;
      const file = join(copy, change.path);
      mkdirSync(dirname(file), { recursive: true });
      if (content === undefined) rmSync(file, { force: true });
      else writeFileSync(file, content);
    }
    const rendered = await renderConfig(copy, path, overrides).catch((error: unknown) => {
      throw inProject(error, copy, project);
    });
    return parseManifest(rendered);
  });
}
