import { execFileSync } from "node:child_process";
import { cpSync, existsSync, renameSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { downloadGoModule } from "../../../support/go-module.ts";

/**
 * Downloads a Go module through the proxy, and returns a folder with its sources, tests included, outside the
 * checkout.
 */
export function fetchModule(path: string, version: string): string {
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const folder = join(cache, "tsbuilder/go-suites", `${path.split("/").at(-1)!}@${version}`);
  if (existsSync(folder)) return folder;
  const { Dir } = downloadGoModule(`${path}@${version}`);
  const partly = `${folder}.${process.pid}`;
  cpSync(Dir, partly, { recursive: true });
  execFileSync("chmod", ["-R", "u+w", partly]);
  renameSync(partly, folder);
  return folder;
}
