import { spawnSync } from "node:child_process";
import { TsbuilderError } from "../shared/errors.ts";

/** npm's output goes straight to the terminal. */
export function installDependencies(cwd: string): void {
  const { status, error } = spawnSync("npm", ["install", "--no-fund", "--no-audit"], {
    cwd,
    stdio: ["ignore", "inherit", "inherit"],
    shell: process.platform === "win32",
  });
  if (status === 0) return;
  throw new TsbuilderError(`npm install failed${error ? `: ${error.message}` : ""}`, {
    code: "TOOL_FAILED",
    hint: "the project's files are written; to retry: npm install",
  });
}
