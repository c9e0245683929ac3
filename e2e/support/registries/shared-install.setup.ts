import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** A folder for the dependencies of scaffolded projects, which all test files of a run share. */
    readonly sharedInstall: string;
  }
}

/** Creates the folder for a run; the first project that needs dependencies installs them there. */
export function setup({ provide }: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), "tsbuilder-shared-install-"));
  provide("sharedInstall", folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
