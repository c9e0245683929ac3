import { cpSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { eventually } from "../eventually.ts";
import { run, type Shell } from "../shell.ts";
import { repository } from "../source-imports.ts";

/**
 * Runs `tsbuilder init` with the dependencies of the first project of this run, since an install costs more than most
 * tests do. Journeys that are about the install run `tsbuilder init` themselves.
 */
export async function initProject(project: Shell, ...flags: string[]): Promise<void> {
  const cli = join(repository, "bin/tsbuilder.js");
  await run(project, "node", cli, "init", "--domain", "example.com", "--skip-install", ...flags);
  await shareInstall(project);
}

/** Gives a project that was made without an install the dependencies that all projects of this run share. */
export async function shareInstall(project: Shell): Promise<void> {
  symlinkSync(await installOnce(project), join(project.folder, "node_modules"));
}

/** Returns the shared `node_modules`, after this or another test file has installed it. */
async function installOnce(project: Shell): Promise<string> {
  const shared = inject("sharedInstall");
  const modules = join(shared, "node_modules");
  const work = join(shared, "work");
  while (!existsSync(modules)) {
    if (!tryCreate(work)) {
      await eventually(() => existsSync(modules) || !existsSync(work));
      continue;
    }
    try {
      for (const name of ["package.json", "package-lock.json", "vendor"]) {
        cpSync(join(project.folder, name), join(work, name), { recursive: true });
      }
      // Users get the versions that were tested.
      await run({ ...project, folder: work }, "npm", "ci", "--no-audit", "--no-fund");
      renameSync(join(work, "node_modules"), modules);
    } finally {
      rmSync(work, { recursive: true });
    }
  }
  return modules;
}

/** Creates a folder; returns false if another process has. */
function tryCreate(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}
