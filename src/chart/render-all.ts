import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { FileChange } from "../scaffold/file-change.ts";
import { type ManifestObject, parseManifest } from "../ship/manifest.ts";
import { type Overrides, renderConfig } from "../ship/render.ts";

/** Renders the deployment with changes that are not written to the project. */
export async function renderChanged(
  project: string,
  changes: readonly FileChange[],
  overrides: Overrides,
): Promise<ManifestObject[]> {
  const copy = mkdtempSync(join(tmpdir(), "tsbuilder-chart-"));
  try {
    cpSync(join(project, "config"), join(copy, "config"), { recursive: true });
    for (const { path, content } of changes) {
      if (!path.startsWith("config/")) continue;
      const file = join(copy, path);
      mkdirSync(dirname(file), { recursive: true });
      if (content === undefined) rmSync(file, { force: true });
      else writeFileSync(file, content);
    }
    return parseManifest(await renderConfig(copy, "default", overrides));
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
