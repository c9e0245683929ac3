import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { FileChange } from "../scaffold/file-change.ts";
import { type ManifestObject, parseManifest } from "./manifest.ts";
import { type Overrides, renderConfig } from "./render.ts";

/** Renders one of the project's kustomizations with changes that are not written to the project. */
export async function renderChanged(
  project: string,
  path: string,
  changes: readonly FileChange[],
  overrides: Overrides,
): Promise<ManifestObject[]> {
  const copy = mkdtempSync(join(tmpdir(), "tsbuilder-changed-"));
  try {
    cpSync(join(project, "config"), join(copy, "config"), { recursive: true });
    for (const change of changes) {
      if (!change.path.startsWith("config/")) continue;
      const { content } = change;
      const file = join(copy, change.path);
      mkdirSync(dirname(file), { recursive: true });
      if (content === undefined) rmSync(file, { force: true });
      else writeFileSync(file, content);
    }
    return parseManifest(await renderConfig(copy, path, overrides));
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
