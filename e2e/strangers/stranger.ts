import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { run, type Shell } from "../support/shell.ts";
import { repository } from "../support/source-imports.ts";
import type { Verdaccio } from "../support/verdaccio.ts";

/** Packs a version as the release's workflow does, of what was built for all journeys; returns the names of its tarballs. */
async function packRelease(version: string, folder: string): Promise<string[]> {
  const words = ["--dry-run", "--no-build", "--version", version, "--to", folder];
  const origin = ["--repository", "https://github.com/example/tsbuilder"];
  await run({ folder: repository, env: {} }, "npm", "run", "--silent", "release", "--", ...words, ...origin);
  const sums = readFileSync(join(folder, "SHA256SUMS"), "utf8");
  return [...sums.matchAll(/ {2}(\S+\.tgz)$/gmu)].map(([, name]) => name!);
}

/** Packs a version and publishes it. */
export async function publishRelease(registry: Verdaccio, version: string, folder: string): Promise<void> {
  await registry.publish(folder, await packRelease(version, folder));
}

/** A shell of somebody who has Node and npm, an empty home and nothing else; `npm install --global` works without root. */
export function makeStranger(home: string, registry: string): Shell {
  const prefix = join(home, ".npm-global");
  mkdirSync(prefix, { recursive: true });
  writeFileSync(join(home, ".npmrc"), `registry=${registry}\nprefix=${prefix}\n`);
  // Not the programs of the repository's packages, which npm puts before the machine's.
  const path = (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => !folder.startsWith(repository) && !folder.includes("node_modules/npm/"));
  const env = {
    HOME: home,
    XDG_CACHE_HOME: join(home, ".cache"),
    PATH: [join(prefix, "bin"), ...path].join(delimiter),
  };
  return { folder: home, env };
}
