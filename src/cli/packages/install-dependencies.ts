import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { npm, packageManagerOf } from "../../project/package-manager.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import type { Ui } from "../reporting/report.ts";

/**
 * Installs the dependencies with the project's package manager, whose output goes straight to the terminal. With `locked`,
 * `npm ci` installs exactly the versions in npm's lock file, if the project has one. Throws if the manager fails.
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

/** Shortens npm's pauses between retries: with its own, npm tries for half an hour on a machine without a network. */
export const shortPauses = ["--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=3000"];

/** Updates npm's lock file in a folder to its `package.json`, without installing. */
export function updateLock(cwd: string): void {
  const hint = "nothing was changed; --skip-install leaves the lock file out";
  installWith("npm", cwd, { flags: ["--package-lock-only"], hint });
}

/** In CI, pnpm refuses to change the lock file unless it is told to, as Yarn does (see below). */
const managerFlags: Readonly<Record<string, readonly string[]>> = {
  npm: ["--no-fund", "--no-audit", "--no-update-notifier", ...shortPauses],
  pnpm: ["--no-frozen-lockfile"],
};

interface InstallCall {
  readonly command?: string;
  readonly flags?: readonly string[];
  /** The hint of the error if the program fails. */
  readonly hint: string;
}

function installWith(program: string, cwd: string, { command = "install", flags = [], hint }: InstallCall) {
  const { status, error } = spawnSync(program, [command, ...(managerFlags[program] ?? []), ...flags], {
    cwd,
    // If `CI` is set, Yarn refuses to change the lock file.
    env: { ...process.env, YARN_ENABLE_IMMUTABLE_INSTALLS: "false" },
    // The output is progress: it goes to standard error.
    stdio: ["ignore", 2, "inherit"],
    shell: process.platform === "win32",
  });
  if (status === 0) return;
  if (error !== undefined && "code" in error && error.code === "ENOENT") throw missingManager(program);
  throw new TsbuilderError(`${program} ${command} failed${error ? `: ${error.message}` : ""}`, {
    code: "TOOL_FAILED",
    hint,
  });
}

/** The error for a machine without a package manager. */
export function missingManager(program: string): TsbuilderError {
  const hint =
    program === "npm"
      ? "npm comes with Node: reinstall Node, then run npm install"
      : `the project has a lock file of ${program}: install ${program}, then run ${program} install`;
  return new TsbuilderError(`"${program}" is not on the PATH`, { code: "TOOL_MISSING", hint });
}
