import { execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RegistryStandIn, startRegistryStandIn } from "../support/registry-stand-in.ts";
import { run, type Shell } from "../support/shell.ts";
import { repository } from "../support/source-imports.ts";

let work: string;
let registry: RegistryStandIn;
let shell: (folder: string) => Shell;

beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), "tsbuilder-journey-"));
  const upstream = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
  registry = await startRegistryStandIn(upstream);
  const env = {
    npm_config_registry: registry.url,
    npm_config_cache: join(work, "npm-cache"),
    PATH: `${join(work, "prefix/bin")}:${process.env["PATH"]}`,
  };
  shell = (folder) => ({ folder: join(work, folder), env });
  mkdirSync(join(work, "prefix"));
  mkdirSync(join(work, "mysql-operator"));
});

afterAll(async () => {
  await registry.stop();
  rmSync(work, { recursive: true, force: true });
});

/** One journey in order: each step stands on the one before. */
test("a packed tsbuilder installs, scaffolds, and asks no registry for a name of ours", async () => {
  const vendor = join(repository, "dist/vendor");
  const tarball = readdirSync(vendor).find((name) => /^tsbuilder-\d/.test(name));
  expect(tarball, "npm run build packs the tarballs").toBeDefined();
  await run(
    shell("."),
    "npm",
    "install",
    "--global",
    "--prefix",
    join(work, "prefix"),
    join(vendor, tarball!),
  );

  const project = shell("mysql-operator");
  await run(project, "tsbuilder", "init", "--domain", "example.com");
  await run(project, "tsbuilder", "create", "api", "--group", "apps", "--version", "v1", "--kind", "MySQL");
  const crd = readFileSync(join(project.folder, "config/crd/bases/apps.example.com_mysqls.yaml"), "utf8");
  expect(crd).toContain("kind: CustomResourceDefinition");
  await run(project, "npm", "test");

  renameSync(project.folder, join(work, "moved"));
  rmSync(join(work, "moved/node_modules"), { recursive: true });
  await run(shell("moved"), "npm", "ci");
  await run(shell("moved"), "npm", "test");

  await upgrade("moved");
  await run(shell("moved"), "npm", "test");

  expect(registry.asked).toEqual([]);
});

/** Brings a project to a tsbuilder that says something else in a file that the user changed, too. */
async function upgrade(folder: string): Promise<void> {
  const newer = join(work, "newer");
  cpSync(join(work, "prefix/lib/node_modules/tsbuilder"), newer, { recursive: true });
  change(join(newer, "package.json"), /"version": "[^"]*"/, '"version": "0.2.0"');
  change(join(newer, "templates/typescript/init/project/README.md.hbs"), "## Developing", "## At work");
  const project = shell(folder);
  const readme = join(project.folder, "README.md");
  change(readme, /$/, "\nMine.\n");
  await run(project, process.execPath, join(newer, "bin/tsbuilder.js"), "upgrade");
  expect(readFileSync(readme, "utf8")).toMatch(/## At work[\s\S]*\nMine\.\n$/);
  const { stdout } = await run(project, "npx", "--no-install", "tsbuilder", "--version");
  expect(stdout).toContain("0.2.0");
}

function change(file: string, from: string | RegExp, to: string): void {
  writeFileSync(file, readFileSync(file, "utf8").replace(from, to));
}
