import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { goldenProjects } from "../../golden/golden-projects.ts";
import { findPrograms } from "../kubectl-binaries.ts";
import { repository } from "../source-imports.ts";

interface GoldenCopies {
  /** The folder with a copy of each golden project, and room for more. */
  readonly work: string;
  /** Why there are none. */
  readonly missing: string | undefined;
  readonly helm: string;
}

/** Copies the golden projects for a test file, with kubectl on the PATH, and prepares each copy. */
export function useGoldenCopies(what: string, prepare: (root: string) => Promise<void>): GoldenCopies {
  const programs = findPrograms("36");
  const missing = "missing" in programs ? programs.missing : undefined;
  if (missing !== undefined) console.log(`left out: ${what}: ${missing}`);
  const work = mkdtempSync(join(tmpdir(), "tsbuilder-goldens-"));
  const path = process.env["PATH"];

  beforeAll(async () => {
    if ("missing" in programs) return;
    process.env["PATH"] = `${dirname(programs.kubectl)}:${path}`;
    for (const name of goldenProjects) {
      cpSync(join(repository, "e2e/golden", name), join(work, name), { recursive: true });
      await prepare(join(work, name));
    }
  });

  afterAll(() => {
    process.env["PATH"] = path;
    rmSync(work, { recursive: true, force: true });
  });

  return { work, missing, helm: "helm" in programs ? programs.helm : "" };
}
