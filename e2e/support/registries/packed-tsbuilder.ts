import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { type Packument, type RegistryStandIn, startRegistryStandIn } from "./registry-stand-in.ts";
import { run, type Shell } from "../shell.ts";
import { repository } from "../source-imports.ts";

/** tsbuilder as a user installs it from the packed tarball, without this repository. */
export interface PackedTsbuilder {
  /** An empty folder for the installation and its projects. */
  readonly work: string;
  readonly registry: RegistryStandIn;
  /** A shell in a folder below `work`, with tsbuilder on its PATH. */
  shell(folder: string): Shell;
  remove(): Promise<void>;
}

/** Installs the tarball that `npm run build` packed. `edit` changes what the registry says of a package. */
async function installPackedTsbuilder(edit?: (packument: Packument) => Packument): Promise<PackedTsbuilder> {
  const work = mkdtempSync(join(tmpdir(), "tsbuilder-packed-"));
  const upstream = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
  const registry = await startRegistryStandIn(upstream, edit);
  const prefix = join(work, "prefix");
  mkdirSync(prefix);
  const env = {
    npm_config_registry: registry.url,
    npm_config_cache: join(work, "npm-cache"),
    PATH: `${join(prefix, "bin")}:${process.env["PATH"]}`,
  };
  const shell = (folder: string): Shell => ({ folder: join(work, folder), env });
  const vendor = join(repository, "dist/vendor");
  const tarball = readdirSync(vendor).find((name) => /^tsbuilder-\d/.test(name));
  if (tarball === undefined) throw new Error("there is no tarball of tsbuilder: npm run build packs it");
  await run(shell("."), "npm", "install", "--global", "--prefix", prefix, join(vendor, tarball));
  return {
    work,
    registry,
    shell,
    async remove() {
      await registry.stop();
      rmSync(work, { recursive: true, force: true });
    },
  };
}

/** The packed tsbuilder of a file's tests: returns a function that returns it once they run. */
export function usePackedTsbuilder(edit?: (packument: Packument) => Packument): () => PackedTsbuilder {
  let packed: PackedTsbuilder | undefined;
  beforeAll(async () => {
    packed = await installPackedTsbuilder(edit);
  });
  afterAll(() => packed?.remove());
  return () => packed!;
}

/** Scaffolds a project with one API in a new folder below `work`. */
export async function scaffoldPacked(packed: PackedTsbuilder, folder: string): Promise<Shell> {
  mkdirSync(join(packed.work, folder));
  const project = packed.shell(folder);
  await run(project, "tsbuilder", "init", "--domain", "example.com");
  await run(project, "tsbuilder", "create", "api", "--group", "apps", "--version", "v1", "--kind", "MySQL");
  return project;
}
