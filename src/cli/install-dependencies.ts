import { spawnSync } from "node:child_process";
import { TsbuilderError } from "../shared/errors.ts";
import type { Ui } from "./ui.ts";

/** By npm's own pauses, a machine without a network waits for half an hour: each package is tried for a minute. */
export const shortPauses = ["--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=3000"];

/** Runs npm install, whose output goes straight to the terminal; without one it prints nothing until its end. */
export function installDependencies(cwd: string, ui: Pick<Ui, "note">): void {
  ui.note("Installing the project's packages with npm install; if it is interrupted, run it again.");
  npmInstall(cwd, [], "the project's files are written; to retry: npm install");
}

/** Brings a folder's lock file up to its `package.json`, and installs nothing. */
export function updateLock(cwd: string): void {
  npmInstall(cwd, ["--package-lock-only"], "nothing was changed; --skip-install leaves the lock file out");
}

function npmInstall(cwd: string, flags: readonly string[], hint: string): void {
  const { status, error } = spawnSync(
    "npm",
    ["install", "--no-fund", "--no-audit", ...shortPauses, ...flags],
    {
      cwd,
      // To standard error, because it is progress.
      stdio: ["ignore", 2, "inherit"],
      shell: process.platform === "win32",
    },
  );
  if (status === 0) return;
  if (error !== undefined && "code" in error && error.code === "ENOENT") throw missingNpm();
  throw new TsbuilderError(`npm install failed${error ? `: ${error.message}` : ""}`, {
    code: "TOOL_FAILED",
    hint,
  });
}

/** The error where there is no npm. */
export function missingNpm(): TsbuilderError {
  return new TsbuilderError('"npm" is not on the PATH', {
    code: "TOOL_MISSING",
    hint: "npm comes with Node: reinstall Node, then run npm install",
  });
}
