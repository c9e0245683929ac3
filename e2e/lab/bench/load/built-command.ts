import { existsSync, statSync } from "node:fs";
import { join } from "node:path";

const repository = join(import.meta.dirname, "../../../..");

/** The command as it is installed, which `npm run build` bundles. Says when that was: what changed since is not measured. */
export function builtCommand(): string {
  const bundle = join(repository, "dist/cli/start.cjs");
  if (!existsSync(bundle)) throw new Error("the CLI is not bundled yet: run npm run build");
  console.log(`measured is what npm run build bundled at ${statSync(bundle).mtime.toISOString()}`);
  return join(repository, "bin/tsbuilder.js");
}
