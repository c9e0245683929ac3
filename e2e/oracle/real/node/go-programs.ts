import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { downloadGoModule } from "../../../support/go-module.ts";

/** A released Go module whose programs can be built. */
export interface GoProgramModule {
  readonly module: string;
  readonly version: string;
  /** The programs, by their folders in the module. */
  readonly programs: readonly string[];
}

/** Where the programs are, and the module's other files. */
export interface GoPrograms {
  readonly folder: string;
  readonly sources: string;
}

/**
 * Builds programs where their module lies, with the versions that its own go.sum names, unless the cache has them; or
 * says why that can't be done.
 */
export function prepareGoPrograms({
  module,
  version,
  programs,
}: GoProgramModule): GoPrograms | { readonly missing: string } {
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const folder = join(cache, "tsbuilder", basename(module), version);
  try {
    const { Dir: sources } = downloadGoModule(`${module}@${version}`);
    mkdirSync(folder, { recursive: true });
    for (const program of programs) {
      const output = join(folder, basename(program));
      if (existsSync(output)) continue;
      const partly = `${output}.${process.pid}`;
      const flags = ["-trimpath", "-ldflags", "-s -w", "-o", partly];
      execFileSync("go", ["build", ...flags, `./${program}`], {
        cwd: sources,
        stdio: ["ignore", "ignore", "pipe"],
      });
      renameSync(partly, output);
    }
    return { folder, sources };
  } catch (error) {
    return {
      missing: `${module}@${version} can't be built: ${(error as Error).message.trim().split("\n").at(-1)}`,
    };
  }
}
