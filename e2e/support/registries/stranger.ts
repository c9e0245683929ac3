import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { run, type Shell } from "../shell.ts";
import { repository } from "../source-imports.ts";
import type { Verdaccio } from "./verdaccio.ts";

/** A tarball of a release, as the dry run lists it. */
export interface Listed {
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
}

/** Packs a version as the release's workflow does, of what was built for all journeys; returns its tarballs in order. */
export async function packRelease(version: string, folder: string): Promise<Listed[]> {
  const words = ["--dry-run", "--no-build", "--version", version, "--to", folder];
  const origin = ["--repository", "https://github.com/example/tsbuilder"];
  const npm = ["npm", "run", "--silent", "lab", "--", "release"] as const;
  const { stdout } = await run({ folder: repository, env: {} }, ...npm, ...words, ...origin);
  const lines = stdout.matchAll(/^([0-9a-f]{64}) +(\d+) (\S+\.tgz)$/gmu);
  return [...lines].map(([, sha256, size, name]) => ({ name: name!, size: Number(size), sha256: sha256! }));
}

/** Packs a version and publishes it. */
export async function publishRelease(registry: Verdaccio, version: string, folder: string): Promise<void> {
  const packed = await packRelease(version, folder);
  await registry.publish(
    folder,
    packed.map(({ name }) => name),
  );
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
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local/share"),
    PATH: [join(prefix, "bin"), ...path].join(delimiter),
  };
  return { folder: home, env };
}
