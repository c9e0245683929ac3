import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { npm, packageManagerOf } from "../../project/package-manager.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import type { Ui } from "../reporting/ui.ts";

/** By npm's own pauses, a machine without a network waits for half an hour: each package is tried for a minute. */
export const shortPauses = ["--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=3000"];

/**
 * Installs with the project's package manager, whose output goes straight to the terminal; without one npm prints nothing
 * until its end. `locked` installs what the lock file says and nothing else, if the project has one of npm's.
 */
export function installDependencies(
  cwd: string,
  ui: Pick<Ui, "note">,
  { locked = false }: { readonly locked?: boolean } = {},
): void {
  const { name, install, installLocked } = packageManagerOf(cwd);
  const isLocked = locked && name === npm.name && existsSync(join(cwd, npm.lockFiles[0]));
  const command = isLocked ? installLocked : install;
  ui.note(`Installing the project's packages with ${command}; if it is interrupted, run it again.`);
  installWith(name, cwd, {
    command: isLocked ? "ci" : "install",
    hint: `the project's files are written; to retry: ${command}${isLocked ? `; ${install} takes other versions where the registry lacks those of the lock file` : ""}`,
  });
}

/** Brings a folder's lock file up to its `package.json`, and installs nothing. */
export function updateLock(cwd: string): void {
  const hint = "nothing was changed; --skip-install leaves the lock file out";
  installWith("npm", cwd, { flags: ["--package-lock-only"], hint });
}

/** pnpm would refuse the same as Yarn. */
const ownFlags: Readonly<Record<string, readonly string[]>> = {
  npm: ["--no-fund", "--no-audit", ...shortPauses],
  pnpm: ["--no-frozen-lockfile"],
};

function installWith(
  program: string,
  cwd: string,
  {
    command = "install",
    flags = [],
    hint,
  }: { readonly command?: string; readonly flags?: readonly string[]; readonly hint: string },
): void {
  const { status, error } = spawnSync(program, [command, ...(ownFlags[program] ?? []), ...flags], {
    cwd,
    // Where CI is set, Yarn would refuse to bring the lock file along.
    env: { ...process.env, YARN_ENABLE_IMMUTABLE_INSTALLS: "false" },
    // To standard error, because it is progress.
    stdio: ["ignore", 2, "inherit"],
    shell: process.platform === "win32",
  });
  if (status === 0) return;
  if (error !== undefined && "code" in error && error.code === "ENOENT") throw missing(program);
  throw new TsbuilderError(`${program} ${command} failed${error ? `: ${error.message}` : ""}`, {
    code: "TOOL_FAILED",
    hint,
  });
}

/** The error where there is no npm. */
export function missingNpm(): TsbuilderError {
  return missing("npm");
}

function missing(program: string): TsbuilderError {
  const hint =
    program === "npm"
      ? "npm comes with Node: reinstall Node, then run npm install"
      : `the project has a lock file of ${program}: install ${program}, then run ${program} install`;
  return new TsbuilderError(`"${program}" is not on the PATH`, { code: "TOOL_MISSING", hint });
}
